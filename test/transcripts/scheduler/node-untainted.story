# The last taint that a pod does not tolerate goes.
node n1 cpu=4 taints=dedicated:NoSchedule
pod p cpu=1
advance 3s
untaint n1
