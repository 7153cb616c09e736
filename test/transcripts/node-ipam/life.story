# Nodes come, one more than there are blocks; one goes, and its block serves another after the wait.
set cluster-cidr 10.244.0.0/22
set service-cluster-ip-range 10.244.3.0/24
node a
node b
node c
node d
show
delete b
wait 30s
show
