# Memory, disk and PID pressure, and an unavailable network, are NoSchedule taints while they last. No pod is evicted.
node a1 zone=east
node a2 zone=east
pod web on a1
at 3s post a1 MemoryPressure=True
at 4s post a1 DiskPressure=True
at 5s post a1 PIDPressure=True
at 6s post a1 NetworkUnavailable=True
at 7s post a1 MemoryPressure=Unknown
at 13s post a1 MemoryPressure=False DiskPressure=False PIDPressure=False NetworkUnavailable=False
until 20s
