# A pod that does not tolerate a NoExecute taint goes at once; NoSchedule taints evict no pod.
node a1 zone=east
pod stays on a1 tolerating maintenance
pod goes on a1
at 5s taint a1 later:NoSchedule
at 10s taint a1 maintenance=now:NoExecute
at 10s show evictions
until 20s
