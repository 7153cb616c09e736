# A pending pod is retried when a node appears that could take it, and only then.
node n1 cpu=1
pod big cpu=2
queue
node small cpu=1
node large cpu=4
queue
