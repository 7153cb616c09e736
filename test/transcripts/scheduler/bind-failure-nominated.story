# A binding that fails takes the nomination back; the API server does so when it succeeds.
node n1 cpu=2
pod p cpu=2 gate=later
nominate p n1
ungate p
queue
status p
advance 2s
status p
