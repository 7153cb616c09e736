# A taint that somebody else's write overtakes is tried again on what the node has become.
set node-monitor-period 1s
set node-monitor-grace-period 8s
set lease 1s
node a1..a3 zone=east
at 5s silence a1
at 13050ms refuse patch nodes Conflict 2
until 20s
