# A taint that is not tolerated ends a running countdown, with the event of a cancellation, and evicts at once.
node a1 zone=east
pod web on a1 tolerating maintenance for 20s
at 1s taint a1 maintenance:NoExecute
at 5s taint a1 second=x:NoExecute
until 30s
