# A pod that is bound to a tainted node counts from when it came, not from when the taint did.
node a1 zone=east taint=maintenance:NoExecute
pod later tolerating maintenance for 10s
pod intolerant
at 5s bind later a1
at 6s bind intolerant a1
at 7s show evictions
until 20s
