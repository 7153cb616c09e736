# A pod that waits here and gets a node from somebody else leaves the queue.
node n1 cpu=1
pod p cpu=2
bind p n1
queue
