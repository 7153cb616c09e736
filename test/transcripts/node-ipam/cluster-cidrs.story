# Ranges as objects: the best match first, one drained while another takes over, an overlap refused.
set cidr-allocator-type MultiCIDRRangeAllocator
node early with zone=east
range everybody 10.0.0.0/16
range east 10.1.0.0/24 fd00::/112 for zone=east
node e1 with zone=east
node e2 with zone=east
show
range overlapping 10.1.0.0/16
delete everybody
node late
delete early
delete e2
wait 10s
show
range everybody-else 10.2.0.0/16
show
