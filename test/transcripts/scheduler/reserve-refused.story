# A plugin that cannot reserve turns the pod away as if the node were the only one.
node n1 cpu=2
pod p cpu=1
pod q cpu=1
queue
