# Both test runners, without what differs from run to run: how long it took.
cd "$(dirname "$0")"
node ../../node_modules/vitest/vitest.mjs run --root . --reporter=tap-flat | sed -E 's/ # time=.*//' | grep -E '^(ok|not ok)'
node --test --test-reporter=tap taint.node-test.mjs | grep -E '^ *(ok|not ok|# (pass|fail))'
