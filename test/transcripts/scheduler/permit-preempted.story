# A victim that still waits in Permit is not deleted: it goes back to the queue.
priority low 10
priority high 100
node n1 cpu=2
pod a cpu=2 labels=app:crew priority=low
pod b cpu=2 priority=high
queue
