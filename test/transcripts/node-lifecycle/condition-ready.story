# Ready: False is not-ready, Unknown is unreachable, each as NoSchedule at once and as NoExecute with the next look at the
# queue after a pass. From one to the other the NoExecute taint is swapped by the next pass, without waiting for the rate.
# Back at True the NoSchedule taint goes at once and the NoExecute taint with the next pass.
node a1 zone=east
node a2 zone=east
node a3 zone=east
at 7s post a1 Ready=False
at 22s post a1 Ready=Unknown
at 33s post a1 Ready=False
at 44s post a1 Ready=True
until 60s
