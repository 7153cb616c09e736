# The range of a running cluster is changed.
compare
set cluster-cidr 10.244.0.0/16
node a
restart cluster-cidr 10.1.0.0/16
node b
wait 10s
show
