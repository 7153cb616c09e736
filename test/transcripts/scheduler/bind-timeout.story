# After a timeout nobody knows whether the binding happened. Here it did not, and the pod is retried.
node n1 cpu=2
pod first cpu=2
queue
advance 2s
