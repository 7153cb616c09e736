# v1.34 deletes a terminating victim again.
priority low 10
priority high 100
node n1 cpu=2
pod a cpu=2 grace=30 priority=low
delete a
pod b cpu=2 priority=high
