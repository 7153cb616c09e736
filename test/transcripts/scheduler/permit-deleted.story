# A pod that is deleted while it waits gives its room back at once.
node n1 cpu=2
pod a cpu=2 labels=app:crew
pod other cpu=2
advance 2s
gone a
queue
