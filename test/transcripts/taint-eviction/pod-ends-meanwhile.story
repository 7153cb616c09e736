# Pods that are deleted during their countdown cancel it; pods that have run to their end are evicted like any other.
node a1 zone=east
pod deleted on a1 tolerating maintenance for 10s
pod finished on a1 tolerating maintenance for 10s
at 1s taint a1 maintenance:NoExecute
at 4s remove pod deleted
at 5s finish finished
until 20s
