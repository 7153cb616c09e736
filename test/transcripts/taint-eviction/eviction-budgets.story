# A PodDisruptionBudget allows no disruption until it is removed. Upstream's plain DELETE does not ask.
compare eviction-budgets
node a1 zone=east
pod guarded on a1 tolerating maintenance for 5s
pod free on a1 tolerating maintenance for 5s
budget guarded 1
at 1s taint a1 maintenance:NoExecute
at 7s show evictions
at 23s remove budget guarded
until 40s
