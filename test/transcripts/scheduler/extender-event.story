# A node is added while an extender is being asked. The cycle ends on what it knew, the pod is rejected, and because of
# the node it is retried at once.
node n1 cpu=4
pod p cpu=1
queue
