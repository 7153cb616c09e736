# Before v1.36, a victim that waits in Permit is rejected, and waits for an event that helps it.
priority low 10
priority high 100
node n1 cpu=2
pod a cpu=2 labels=app:crew priority=low
pod b cpu=2 priority=high
queue
