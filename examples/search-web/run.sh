set -e
# Finds the violation, shrinks it and searches for a fix. The exit code is 1.
berth search --from examples/search-web/cluster --faults examples/search-web/faults.yaml \
  --autoscaler examples/search-web/autoscaler.yaml \
  --threads 1 --budget 30m || true
echo
# With a maximum of five nodes, every single fault and every pair is covered.
berth search --from examples/search-web/cluster --faults examples/search-web/faults.yaml \
  --autoscaler <(sed 's/max: 4/max: 5/' examples/search-web/autoscaler.yaml) --threads 1 --certify
