# Nodes with the exclusion label do not count for their zone's state. Each pass opens a zone that has only such nodes again.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1..a2 zone=east
node m1..m3 zone=east node.kubernetes.io/exclude-disruption=
node x1..x2 zone=control node.kubernetes.io/exclude-disruption=
at 5s silence m1,m2,m3,x1,x2
at 16s show zones
until 40s
