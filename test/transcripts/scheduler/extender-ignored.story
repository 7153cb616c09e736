# One that may fail is passed over.
node n1 cpu=4
pod p cpu=1
