# Before v1.30 a node that the API server did not find was read again, and dropped from the cache only if it was gone.
# Here it is still there, so the next attempt takes it.
node n1 cpu=2
pod p cpu=1
advance 3s
