# A node that an extender leaves out without a word counts as one that nobody looked at: nobody is preempted there.
priority low 10
priority high 100
node n1 cpu=2
pod a cpu=1 priority=low on=n1
pod p cpu=1 priority=high
