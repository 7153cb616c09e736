# A node falls silent. It is Unknown after the grace period, its pods are not ready, and at its zone's rate it is given the
# NoExecute taint that starts their countdowns. When it is back they are cancelled.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set node-eviction-rate 0.5
set lease 1s
node a1..a3 zone=zone-a region=r1
pod short on a1 tolerating node.kubernetes.io/not-ready for 5s and node.kubernetes.io/unreachable for 5s
pod long on a1 tolerating node.kubernetes.io/not-ready for 15s and node.kubernetes.io/unreachable for 15s
pod default on a1
pod elsewhere on a2
at 10500ms silence a1
at 20s show evictions
at 30s revive a1
at 31s show metrics
until 45s
