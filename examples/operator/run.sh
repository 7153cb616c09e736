# Runs the tests of the operator and removes the durations, which differ from run to run.
cd "$(dirname "$0")"
node ../../node_modules/vitest/vitest.mjs run --root . --reporter=tap-flat | sed -E 's/ # time=.*//' | grep -E '^(ok|not ok)'
