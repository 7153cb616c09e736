# The same in a zone above the large-cluster threshold: evicting goes on at the secondary rate.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set large-cluster-size-threshold 4
set secondary-node-eviction-rate 0.05
set lease 1s
node a1..a5 zone=east
node b1..b3 zone=west
at 5s silence a1,a2,a3
at 20s show zones
until 80s
