# Requests take their time, 4 a second here. A pass that has to mark the pods of two silent nodes lasts, and while it lasts
# no other begins: the node that is back meanwhile is still given its taint, and loses it with the pass after.
set kube-api-qps 4
set kube-api-burst 4
set node-monitor-period 1s
set node-monitor-grace-period 8s
set node-eviction-rate 1
set lease 1s
node a1..a6 zone=east
pods p1..p6 on a1 tolerating everything
pods q1..q6 on a2 tolerating everything
at 5s silence a1,a2
at 14500ms revive a1
until 40s
