# Upstream's client sends 20 requests a second after a burst of 30. An eviction is three of them, and each waits behind
# those that were asked for before: forty pods that are due together are all read first, then all marked, then deleted.
set kube-api-qps 20
set kube-api-burst 30
set controllers taint-eviction-controller
node a1 zone=east
pods p1..p40 on a1
at 1s taint a1 maintenance:NoExecute
until 10s
