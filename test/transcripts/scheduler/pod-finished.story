# A pod that has run to its end holds no room, though it still exists.
node n1 cpu=2
pod first cpu=2
pod second cpu=2
advance 1m
finish first
