# Before hints, a condition that changed its status woke every pod the node would admit.
node n1 cpu=1
node n2 cpu=4 taints=dedicated:NoExecute
condition n1 Ready=False
condition n2 Ready=False
pod p cpu=2
advance 3s
condition n1 Ready=True
queue
condition n2 Ready=True
queue
