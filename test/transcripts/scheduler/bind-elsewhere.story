# A nominated pod takes another node when one comes sooner than its victim goes.
priority low 10
priority high 100
node n1 cpu=2
pod victim cpu=2 priority=low grace=30
pod preemptor cpu=2 priority=high
advance 5s
node n2 cpu=2
queue
