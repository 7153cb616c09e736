# A whole zone is silent while another answers: upstream evicts it at the full rate.
compare full-disruption-stops
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1..a3 zone=east
node b1..b3 zone=west
pod web on a1 tolerating node.kubernetes.io/unreachable for 5s
pod db on a2 tolerating node.kubernetes.io/unreachable for 5s
at 5500ms silence a1
at 9500ms silence a2,a3
at 20s show zones
at 30s show evictions
at 45s revive a3
at 50s show zones
until 70s
