# Two nodes came with the same block. v1.36 does not mind, and frees it when the first of them goes.
compare
set cluster-cidr 10.244.0.0/23
node a has 10.244.0.0/24
node b has 10.244.0.0/24
delete a
node c
node d
wait 1s
show
