# An extender that does not answer in time stops the attempt; the pod is retried with an error's backoff.
node n1 cpu=4
pod p cpu=1
queue
