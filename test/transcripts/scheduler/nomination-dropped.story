# A nomination that is dropped wakes pods of lower or equal priority that had counted it, and no others.
priority low 10
priority high 100
priority higher 1000
node n1 cpu=2
pod promised cpu=2 priority=high gate=later
nominate promised n1
pod small cpu=2 priority=low
pod tall cpu=4 priority=higher
queue
nominate promised none
queue
