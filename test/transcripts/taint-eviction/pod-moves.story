# A pod that is deleted and made again under its name, at once and on another node, starts over.
set controllers taint-eviction-controller
node a1 zone=east
node a2 zone=east taint=maintenance:NoExecute
node a3 zone=east
pod to-untainted on a1 tolerating maintenance for 10s
pod to-tainted on a1 tolerating maintenance for 10s
at 1s taint a1 maintenance:NoExecute
at 5s replace to-untainted on a3 tolerating maintenance for 10s
at 6s replace to-tainted on a2 tolerating maintenance for 10s
at 7s show evictions
until 30s
