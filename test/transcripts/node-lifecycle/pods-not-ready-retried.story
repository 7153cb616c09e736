# A pod that cannot be marked not ready is tried again by the next pass; one that is gone is not.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1..a3 zone=east
pod one on a1
pod two on a1
at 5s silence a1
at 6s refuse update pods/status Conflict 1
until 20s
