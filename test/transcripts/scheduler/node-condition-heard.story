# A plugin that waits for conditions hears of their status, and of nothing else about the node.
node n1 cpu=4
condition n1 Disk=False
pod p cpu=1
advance 3s
label n1 disk=new
queue
advance 3s
condition n1 Disk=True
