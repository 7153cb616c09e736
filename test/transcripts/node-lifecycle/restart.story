# The controller restarts while a node is silent. Upstream removes the taint and decides again, which restarts the
# countdown too.
compare countdown-from-taint
set node-monitor-period 1s
set node-monitor-grace-period 8s
set node-eviction-rate 0.5
set lease 1s
node a1..a3 zone=east
pod web on a1 tolerating node.kubernetes.io/unreachable for 20s
at 5s silence a1
at 20s restart node-lifecycle-controller
at 25s restart taint-eviction-controller
until 60s
