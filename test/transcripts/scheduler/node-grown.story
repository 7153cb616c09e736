# A node becomes large enough.
node n1 cpu=1
pod p cpu=2
advance 3s
resize n1 cpu=1500m memory=32Gi pods=110
queue
advance 3s
resize n1 cpu=2 memory=32Gi pods=110
