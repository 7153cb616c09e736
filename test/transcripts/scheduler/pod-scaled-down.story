# A pod on a node that asks for less in place makes room; one that asks for more does not.
node n1 cpu=4
pod first cpu=2
pod second cpu=3
advance 3s
shrink first cpu=3
queue
advance 3s
shrink first cpu=1
