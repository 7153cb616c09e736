# An extender has a say in whom to preempt: the scheduler alone would take the one of lower priority, on n2.
priority lowest 1
priority low 10
priority high 100
node n1 cpu=2
pod a cpu=2 priority=low grace=30
node n2 cpu=2
pod b cpu=2 priority=lowest grace=30
pod preemptor cpu=2 priority=high
queue
cordon n1
pod second cpu=2 priority=high selector=kubernetes.io/hostname:n2
