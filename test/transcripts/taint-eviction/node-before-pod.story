# Of changes that come together, the node's are looked at first: a pod that comes at the instant in which the taint goes
# is not held to the taint.
node a1 zone=east taint=maintenance:NoExecute
pod web
at 5s bind web a1
at 5s untaint a1 maintenance:NoExecute
until 20s
