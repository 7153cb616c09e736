# A countdown outlives its node: only the end of the pod or taints taken off a node of that name cancel it.
set controllers taint-eviction-controller
node a1 zone=east
pod orphan on a1 tolerating maintenance for 20s
pod cancelled on a1 tolerating maintenance for 25s
at 1s taint a1 maintenance:NoExecute
at 5s remove node a1
at 6s show evictions
at 10s tolerate cancelled maintenance
at 11s show evictions
until 30s
