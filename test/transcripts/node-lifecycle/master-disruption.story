# Everything falls silent: it is likelier that the control plane is cut off. The NoExecute taints are taken back, which
# cancels countdowns, and no node is tainted until one answers. Then the grace period of all nodes starts again.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set node-eviction-rate 0.5
set lease 1s
node a1..a2 zone=east
node b1..b2 zone=west
pod web on a1 tolerating node.kubernetes.io/unreachable for 30s
at 5500ms silence a1
at 15500ms silence a2,b1,b2
at 20s show evictions
at 30s show zones
at 40s revive b1,b2
at 41500ms show zones
at 60s revive a1,a2
until 65s
