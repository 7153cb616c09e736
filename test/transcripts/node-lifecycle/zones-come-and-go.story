# Nodes are registered and removed by passes; a node that moves to a new zone opens it.
set node-monitor-period 2s
node a1 zone=east
at 3s node a2 zone=west
at 5s show zones
at 7s label a2 topology.kubernetes.io/zone=north
at 9s show zones
at 11s remove node a2
at 13s show zones
until 15s
