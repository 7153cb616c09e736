# A node that never posts a status is left alone for the startup grace period, and then marked as never heard of.
node a1 zone=east
node a2 zone=east
set node-startup-grace-period 20s
at 2s node b1 zone=east ready=none
at 2s silence b1
at 40s show zones
until 50s
