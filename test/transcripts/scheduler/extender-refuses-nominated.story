# An extender refuses the node that a pod is nominated to: all others are looked at, in the same attempt.
node n1 cpu=4
node n2 cpu=4
pod p cpu=1 gate=later
nominate p n1
ungate p
