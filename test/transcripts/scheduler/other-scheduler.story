# Pods of another scheduler are left alone, but count on the node they run on.
node n1 cpu=2
pod foreign cpu=2 scheduler=other on=n1
pod alien cpu=1 scheduler=other
pod ours cpu=1
queue
