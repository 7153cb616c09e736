# A change of a condition's status is an event, but none of the default plugins waits for it; taints follow by
# themselves in a cluster with a node controller.
node n1 cpu=1
condition n1 Ready=False
pod p cpu=2
advance 3s
condition n1 Ready=True
queue
