# Whoever is nominated may lose the node to a pod of still higher priority, which is nominated in its place.
priority low 10
priority high 100
priority higher 1000
node n1 cpu=2
pod victim cpu=2 priority=low grace=30
pod preemptor cpu=2 priority=high
pod better cpu=2 priority=higher
queue
gone victim
queue
