# While a budget holds an eviction up, the taint goes: the pod stays.
compare eviction-budgets
node a1 zone=east
pod guarded on a1
budget guarded 1
at 1s taint a1 maintenance:NoExecute
at 12s untaint a1 maintenance:NoExecute
until 30s
