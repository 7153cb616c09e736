# A deletion that fails is tried five times, 10 ms apart, and then forgotten, unless it is retried until it succeeds.
compare eviction-retries
node a1 zone=east
pod thrice on a1 tolerating maintenance for 5s
pod five-times on a1 tolerating maintenance for 10s
pod marked-late on a1 tolerating maintenance for 15s
at 1s taint a1 maintenance:NoExecute
at 5s refuse delete pods InternalError 3
at 10s refuse delete pods ServiceUnavailable 7
at 15s refuse patch pods/status Conflict 2
at 20s show evictions
at 20s show metrics
until 30s
