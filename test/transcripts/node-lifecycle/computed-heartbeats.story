# Virtual time computes heartbeats instead of writing Leases: the same comes of it.
set heartbeats computed
set node-monitor-period 1s
set node-monitor-grace-period 8s
set node-eviction-rate 0.5
set lease 1s
node a1..a3 zone=zone-a region=r1
pod short on a1 tolerating node.kubernetes.io/not-ready for 5s and node.kubernetes.io/unreachable for 5s
at 10500ms silence a1
at 30s revive a1
until 45s
