# The blocks are the cloud's; it answers after a few failures.
set cidr-allocator-type CloudAllocator
instance gce://p/z/a 10.9.0.0/24 fd00::/64
cloud fails 3
node a on gce://p/z/a
wait 20s
show
