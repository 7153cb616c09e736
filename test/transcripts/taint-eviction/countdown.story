# A taint that is tolerated for a time starts a countdown: the shortest of the tolerations in use, of the first that
# covers each taint. Zero and negative seconds are now, none are for ever.
node a1 zone=east taint=old:NoExecute
pod five on a1 tolerating maintenance for 5s and old
pod shortest on a1 tolerating maintenance for 20s and old for 8s
pod zero on a1 tolerating maintenance for 0s and old
pod negative on a1 tolerating maintenance for -3s and old
pod forever on a1 tolerating maintenance and old
pod everything on a1 tolerating everything
pod first on a1 tolerating maintenance for 12s and everything
at 2s taint a1 maintenance:NoExecute
at 3s show evictions
until 30s
