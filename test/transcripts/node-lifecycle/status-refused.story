# The status of a silent node cannot be written: after six tries 20 ms apart it counts for nothing until the next pass.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1..a3 zone=east
at 5s silence a1
at 6s refuse update nodes/status ServiceUnavailable 8
at 14500ms show zones
until 20s
