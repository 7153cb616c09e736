# Uncordoning is reported as a change of taints, and wakes the pods the cordon kept out.
node n1 cpu=4 cordoned
pod p cpu=1
advance 3s
uncordon n1
