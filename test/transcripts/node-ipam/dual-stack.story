# Both families in one patch. When one is exhausted v1.36 loses a block of the other with every attempt.
compare
set cluster-cidr 10.244.0.0/16,fd00::/63
node a
node b
node c
wait 1s
show
restart
show
