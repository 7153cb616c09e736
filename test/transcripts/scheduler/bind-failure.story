# A binding that fails gives the room back, wakes whoever can use it, and the pod is retried after an error's backoff.
node n1 cpu=2
pod first cpu=2
pod second cpu=2
queue
gone second
advance 2s
