# A pod that is bound after its node fell silent is marked not ready as soon as it says that it is ready.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1..a3 zone=east
pod late
at 5s silence a1
at 20s bind late a1
until 30s
