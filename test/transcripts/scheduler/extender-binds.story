# An extender binds. When its answer comes too late although it bound, the pod is not put back.
node n1 cpu=4
pod p cpu=1
pod late cpu=1
queue
