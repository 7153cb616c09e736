# v1.34 does not nominate the node of a slow binding.
node n1 cpu=2
pod a cpu=2 labels=app:slow
pod b cpu=1
queue
advance 5s
queue
