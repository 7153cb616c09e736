# Pods that start together wait in Permit with their room taken, and are bound when the last one has come. Others plan
# with it, because the node is nominated meanwhile.
node n1 cpu=4
pod a cpu=1 labels=app:crew
pod b cpu=1 labels=app:crew
queue
pod c cpu=1 labels=app:crew
queue
