# The cloud decides, the cluster follows, also when the cloud takes its time.
set cidr-allocator-type IPAMFromCloud
set cluster-cidr 10.0.0.0/16
instance gce://p/z/a 10.0.5.0/24
node a on gce://p/z/a
instance gce://p/z/b
node b on gce://p/z/b
wait 1s
instance gce://p/z/b 10.0.6.0/24
wait 10s
show
