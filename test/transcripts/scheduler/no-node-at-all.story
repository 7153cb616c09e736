# Without any node there is no plugin to blame: the pod is retried with growing backoff, and a node helps at once
# only when the backoff is over.
pod p cpu=1
queue
advance 2s
queue
advance 3s
queue
node n1 cpu=4
advance 10s
