# A nomination that is changed wakes pods of lower or equal priority that had counted it.
priority high 100
node n1 cpu=2
node n2 cpu=1
pod promised cpu=2 priority=high gate=later
nominate promised n1
pod small cpu=2
queue
nominate promised n2
