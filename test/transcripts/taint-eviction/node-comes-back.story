# A node that comes back under its name without the taint cancels what still counts for its pods.
set controllers taint-eviction-controller
node a1 zone=east
pod orphan on a1 tolerating maintenance for 20s
at 1s taint a1 maintenance:NoExecute
at 5s remove node a1
at 10s node a1 zone=east
until 30s
