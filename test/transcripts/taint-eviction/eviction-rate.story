# Six pods are due at the same instant.
compare eviction-rate
set evictions-per-second 2
node a1 zone=east
pod p1 on a1
pod p2 on a1
pod p3 on a1
pod p4 on a1 tolerating maintenance for 1s
pod p5 on a1 tolerating maintenance for 1s
pod p6 on a1 tolerating maintenance for 2s
at 1s taint a1 maintenance:NoExecute
at 2s show evictions
until 20s
