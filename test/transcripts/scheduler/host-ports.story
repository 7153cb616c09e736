# A port on a node is free again when its holder goes.
node n1 cpu=4
pod first port=80
pod second port=80
pod third port=81
advance 10s
gone third
queue
gone first
