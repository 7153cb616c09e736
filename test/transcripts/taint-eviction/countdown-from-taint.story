# The controller restarts in the middle of countdowns. Upstream starts them again.
compare countdown-from-taint
set controllers taint-eviction-controller
node a1 zone=east
pod before on a1 tolerating maintenance for 30s
pod after tolerating maintenance for 30s
at 5s taint a1 maintenance:NoExecute
at 15s bind after a1
at 20s restart taint-eviction-controller
at 21s show evictions
until 60s
