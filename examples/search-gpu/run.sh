set -e
# Finds the violation, shrinks it and searches for a fix. The exit code is 1.
berth search --from examples/search-gpu/cluster --faults examples/search-gpu/faults.yaml \
  --threads 1 --budget 30m || true
echo
# With a fifth node, every single failure and every pair is covered.
sed -n '/name: gpu-1$/,/^---/p' examples/search-gpu/cluster/nodes.yaml | sed 's/gpu-1/gpu-5/; $d' |
  cat examples/search-gpu/cluster/nodes.yaml <(printf -- '---\napiVersion: v1\nkind: Node\nmetadata:\n') - <(echo ---) examples/search-gpu/cluster/workloads.yaml |
  berth search --from - --faults examples/search-gpu/faults.yaml --threads 1 --certify
