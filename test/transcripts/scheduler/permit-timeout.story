# Whoever waits too long is turned away, and what was held for it wakes others.
node n1 cpu=2
pod a cpu=2 labels=app:crew
pod other cpu=2
queue
advance 10s
queue
