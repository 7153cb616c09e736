# A victim whose binding has not begun yet is not deleted but sent back.
priority low 10
priority high 100
node n1 cpu=2
pod a cpu=2 labels=app:slow priority=low
advance 1s
pod b cpu=2 priority=high
queue
