# The beta labels of system and architecture follow the ones that replaced them, and are made where they are missing.
node a1 kubernetes.io/os=linux kubernetes.io/arch=amd64
node a2 beta.kubernetes.io/os=linux
at 3s label a1 kubernetes.io/arch=arm64
at 6s label a2 kubernetes.io/os=linux
until 10s
