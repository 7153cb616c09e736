# Before v1.36, a victim whose binding has not begun yet is deleted, as one that is bound.
priority low 10
priority high 100
node n1 cpu=2
pod a cpu=2 labels=app:slow priority=low
advance 1s
pod b cpu=2 priority=high
advance 10s
queue
