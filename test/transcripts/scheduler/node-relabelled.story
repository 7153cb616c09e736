# A label that a pod asks for appears.
node n1 cpu=4
pod p cpu=1 selector=disk:ssd
advance 3s
label n1 disk=hdd
queue
advance 3s
label n1 disk=ssd
