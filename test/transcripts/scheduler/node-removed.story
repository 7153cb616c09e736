# When a node goes, pods that spread or were kept from it are looked at again; others are not.
node n1 cpu=1
node n2 cpu=1
pod p cpu=2
advance 3s
remove n2
queue
