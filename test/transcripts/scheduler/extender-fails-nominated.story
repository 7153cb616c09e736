# An error takes the nomination back, in memory and in the status.
node n1 cpu=4
pod p cpu=1 gate=later
nominate p n1
ungate p
queue
status p
