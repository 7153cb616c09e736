# A forecast takes over from a controller that ran before: countdowns go on from the timeAdded of their taints.
set controllers taint-eviction-controller
set past 60s
set resumed true
node a1 zone=east taint=maintenance:NoExecute added=-20s
pod web on a1 tolerating maintenance for 30s
pod overdue on a1 tolerating maintenance for 15s
at 1s show evictions
at 5s restart taint-eviction-controller
until 40s
