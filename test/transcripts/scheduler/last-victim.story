# Several victims: the last one goes after all others, and the preemptor is kept back until then. Its deletion having
# begun, other changes may retry the preemptor, but it does not preempt again.
priority low 10
priority high 100
node n1 cpu=4
pod v1 cpu=1 priority=low grace=30
start v1
advance 1s
pod v2 cpu=1 priority=low grace=30
start v2
advance 1s
pod v3 cpu=1 priority=low grace=30
start v3
advance 1s
pod v4 cpu=1 priority=low grace=30
start v4
advance 1s
pod preemptor cpu=3 priority=high
gone v4
queue
advance 5s
gone v3
queue
gone v2
gone v1
queue
