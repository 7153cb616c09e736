# When there is room for one, the higher priority gets it; the others wait.
priority low 10
priority high 100
node n1 cpu=1
pod first cpu=2
pod low cpu=2 priority=low
pod high cpu=2 priority=high
advance 20s
node n2 cpu=2
queue
