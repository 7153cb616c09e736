# A pod that wants a neighbour waits for one to get a node.
node n1 cpu=4
pod guest cpu=1 near=host
advance 10s
pod stranger cpu=1 labels=app:other
queue
pod host cpu=1 labels=app:host
