# The server says no three times: the block is free again, and the next attempt has the next one.
compare
set cluster-cidr 10.244.0.0/16
fail 3 Conflict
node a
wait 1s
show
