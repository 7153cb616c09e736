# A nomination made by another component is honoured: the node is tried first, and counted for others.
node n1 cpu=2
node n2 cpu=2
pod waits cpu=2 gate=later
nominate waits n2
ungate waits
status waits
