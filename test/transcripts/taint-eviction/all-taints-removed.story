# When the last NoExecute taint is taken off a node, its countdowns are cancelled; when only one of two goes, they run on.
node a1 zone=east
pod web on a1 tolerating maintenance for 20s and second for 30s
pod goes-before on a1 tolerating maintenance for 4s and second
at 1s taint a1 maintenance:NoExecute
at 2s taint a1 second:NoExecute
at 8s untaint a1 second:NoExecute
at 9s show evictions
at 15s untaint a1 maintenance:NoExecute
at 16s show evictions
at 18s taint a1 maintenance:NoExecute
at 19s show evictions
until 45s
