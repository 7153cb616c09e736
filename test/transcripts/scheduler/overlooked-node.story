# Upstream's hint of InterPodAffinity looks at the pod's own terms. A pod that is kept out by the anti-affinity of others
# is not told of a new node, and waits for a change of taints, which real nodes go through when they become ready, or
# for the flush.
node n1 cpu=4
pod loner cpu=1 labels=app:a far=a
pod other cpu=1 labels=app:a
node n2 cpu=4
queue
taint n2 node.kubernetes.io/not-ready:NoSchedule
untaint n2
