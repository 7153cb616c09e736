# A forecast takes over from a controller that ran before: nodes are known, taints and zone states stand, and silence is
# counted from the last heartbeats.
set resumed true
set past 60s
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1 zone=east ready=Unknown taint=node.kubernetes.io/unreachable:NoExecute;node.kubernetes.io/unreachable:NoSchedule added=-30s
node a2..a3 zone=east
pod web on a1 tolerating node.kubernetes.io/unreachable for 45s
at 0s silence a1
at 1s show zones
at 1s show evictions
until 30s
