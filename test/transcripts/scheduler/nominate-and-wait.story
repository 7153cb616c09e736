# A pod of higher priority preempts, is nominated, waits for its victim to end, and is bound.
priority low 10
priority high 100
node n1 cpu=2
pod victim cpu=2 priority=low grace=30
pod preemptor cpu=2 priority=high
queue
advance 29s
queue
gone victim
queue
