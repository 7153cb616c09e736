# More than half of a small zone is silent, three nodes at least: evictions in it stop.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1..a5 zone=east
node b1..b3 zone=west
at 5s silence a1,a2,a3
at 20s show zones
at 30s revive a3
at 35s show zones
until 50s
