# Room promised to a nominated pod is not given to one of lower or equal priority.
priority low 10
priority high 100
node n1 cpu=2
pod victim cpu=2 priority=low grace=30
pod preemptor cpu=2 priority=high
pod latecomer cpu=2
gone victim
queue
