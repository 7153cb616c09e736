# Before hints, a node that would not admit the pod moved nothing, and backoff was never cut short.
node n1 cpu=1
pod big cpu=2
node small cpu=1
queue
node large cpu=4
queue
advance 3s
