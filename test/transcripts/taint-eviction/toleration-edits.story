# Tolerations are edited, and taints added, while a countdown runs. Upstream lets it run whatever finite time is said
# later; only for ever cancels it.
compare toleration-edits
node a1 zone=east
pod lengthened on a1 tolerating maintenance for 6s and second
pod shortened on a1 tolerating maintenance for 16s and second
pod overdue on a1 tolerating maintenance for 16s and second
pod at-once on a1 tolerating maintenance for 16s and second
pod shorter-later on a1 tolerating maintenance for 17s and second for 3s
pod for-ever on a1 tolerating maintenance for 17s and second
at 5s taint a1 maintenance=now:NoExecute
at 8s tolerate lengthened maintenance for 25s
at 8s tolerate shortened maintenance for 5s
at 8s tolerate overdue maintenance for 1s
at 8s tolerate at-once maintenance for 0s
at 8s tolerate for-ever maintenance
at 9s show evictions
at 13s taint a1 second=x:NoExecute
until 40s
