# A gated pod is not attempted, pays no backoff, and is not told of anything but its own gates.
node n1 cpu=4
pod p cpu=1 gate=example.com/wait
node n2 cpu=4
queue
ungate p
