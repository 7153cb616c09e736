set -e
# Finds the violation, shrinks it and searches for a fix. The exit code is 1.
berth search --from examples/search-shop/cluster --faults examples/search-shop/faults.yaml \
  --threads 1 --budget 30m || true
echo
# The scenario replays the violation. The exit code is 1.
berth search --from examples/search-shop/cluster --faults examples/search-shop/faults.yaml \
  --threads 1 --budget 30m --standalone -o scenario | berth simulate - | head -2 || true
echo
# With five members of the database, every single failure and every pair is covered.
sed '/name: orders-db, namespace: shop}$/,/replicas/ s/replicas: 3/replicas: 5/' examples/search-shop/cluster/workloads.yaml |
  cat examples/search-shop/cluster/nodes.yaml <(echo ---) - |
  berth search --from - --faults examples/search-shop/faults.yaml --threads 1 --certify
