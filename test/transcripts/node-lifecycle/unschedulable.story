# A cordoned node has a NoSchedule taint; taints without a matching condition are removed, others are left alone.
node a1 zone=east taint=node.kubernetes.io/disk-pressure:NoSchedule;mine=x:NoSchedule
at 3s cordon a1
at 6s uncordon a1
at 9s taint a1 node.kubernetes.io/not-ready:NoSchedule
at 12s taint a1 node.kubernetes.io/unreachable:NoExecute
until 20s
