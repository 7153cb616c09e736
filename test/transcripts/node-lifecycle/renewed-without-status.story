# A node that posts no status but renews its Lease is taken to be well.
set node-startup-grace-period 20s
node a1 zone=east
at 2s node b1 zone=east ready=none
until 120s
