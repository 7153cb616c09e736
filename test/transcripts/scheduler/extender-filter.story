# An extender refuses a node and prefers another.
node n1 cpu=4
node n2 cpu=4
node n3 cpu=4
pod p cpu=1
