# An eviction that is being retried ends when the pod may stay after all, or is gone.
compare eviction-retries
node a1 zone=east
node a2 zone=east
pod reprieved on a1 tolerating maintenance for 5s
pod gone-meanwhile on a2 tolerating maintenance for 5s
at 1s taint a1,a2 maintenance:NoExecute
at 5s refuse delete pods InternalError 1000
at 7s show evictions
at 8s untaint a1 maintenance:NoExecute
at 9s remove pod gone-meanwhile
at 10s show evictions
until 60s
