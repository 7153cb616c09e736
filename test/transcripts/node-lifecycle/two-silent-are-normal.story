# Two silent nodes of three are more than 55 %, but only from three on is a zone partially disrupted.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1..a3 zone=east
node b1..b3 zone=west
at 5s silence a1,a2
at 20s show zones
until 30s
