# A status that comes without a renewed Lease makes upstream forget the Lease, and the pass after takes the old Lease for
# a sign of life. The last Lease is of 4s, the last status of 7s; the pass at 10s notes the status, the one at 15s the
# Lease, and so the 20s of grace are over at 35s.
set lease 4s
set node-monitor-grace-period 20s
node a1..a3 zone=east
at 4500ms silence a1
at 7s post a1 Ready=True
until 45s
