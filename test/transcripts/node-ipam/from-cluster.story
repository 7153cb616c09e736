# The cluster decides, the cloud follows. When the alias is made and the node cannot be written, v1.28 takes the alias
# for somebody else's and stays stuck; an alias that is somebody else's is told of.
compare
set cidr-allocator-type IPAMFromCluster
set cluster-cidr 10.0.0.0/16
instance gce://p/z/a
instance gce://p/z/b
instance gce://p/z/c 10.9.0.0/24
node a on gce://p/z/a
fail 1 InternalError
node b on gce://p/z/b
wait 2s
node c has 10.0.7.0/24 on gce://p/z/c
wait 31s
show
