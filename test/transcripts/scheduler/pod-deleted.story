# Room that a pod leaves goes to a pending pod, after its backoff has run out.
node n1 cpu=2
pod first cpu=2 grace=0
pod second cpu=2
advance 1m
gone first
