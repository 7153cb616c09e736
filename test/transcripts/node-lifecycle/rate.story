# Two of five nodes of a zone fall silent: they are tainted one by one. Each zone has its own rate.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1..a5 zone=east
node b1..b3 zone=west
at 10s silence a1,a3,b2
at 25s show zones
until 40s
