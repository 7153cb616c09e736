# All fixes of taint eviction together: edits are followed, budgets and the rate respected, failures retried, and a
# restart forgets nothing.
compare toleration-edits countdown-from-taint eviction-retries eviction-budgets eviction-rate
set controllers taint-eviction-controller
set evictions-per-second 1
node a1 zone=east
pod guarded on a1 tolerating maintenance for 10s
pod plain on a1 tolerating maintenance for 10s
pod edited on a1 tolerating maintenance for 60s
budget guarded 1
at 1s taint a1 maintenance:NoExecute
at 5s tolerate edited maintenance for 10s
at 8s restart taint-eviction-controller
at 10s refuse create pods/eviction InternalError 6
at 12s show evictions
at 30s remove budget guarded
until 60s
