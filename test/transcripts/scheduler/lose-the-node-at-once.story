# When the better preemptor has victims of its own to remove, whoever was nominated before loses the nomination at once.
priority low 10
priority high 100
priority higher 1000
node n1 cpu=4
pod victim-a cpu=2 priority=low grace=30
start victim-a
advance 1s
pod victim-b cpu=2 priority=low grace=30
start victim-b
pod preemptor cpu=2 priority=high
pod better cpu=4 priority=higher
queue
gone victim-a
queue
gone victim-b
queue
