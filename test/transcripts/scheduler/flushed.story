# A pod that nothing wakes is tried again after five minutes, at the next look, which is every thirty seconds.
node n1 cpu=1
pod p cpu=2
advance 329s
queue
advance 1s
queue
