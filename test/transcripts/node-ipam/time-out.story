# Three writes without an answer: did any of them happen? v1.36 keeps the block until it restarts.
compare
set cluster-cidr 10.244.0.0/16
fail 3 ServerTimeout
node a
wait 1s
show
fail 3 answer lost
node b
wait 1s
show
restart
show
