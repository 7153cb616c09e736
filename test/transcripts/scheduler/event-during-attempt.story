# The pod that is rejected at the end of a long attempt is not left behind when what it needs came during that attempt.
node n1 cpu=4
pod a cpu=1 labels=app:crew
advance 4s
node n2 cpu=4
queue
advance 6s
queue
