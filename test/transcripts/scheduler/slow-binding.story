# When binding takes time the node is nominated first; the room is taken meanwhile.
node n1 cpu=2
pod a cpu=2 labels=app:slow
pod b cpu=1
queue
advance 5s
queue
