# A pod whose class says so waits instead of preempting.
priority low 10
node n1 cpu=2
pod resident cpu=2 priority=low
polite gentle 100
pod guest cpu=2 priority=gentle
queue
