set -e
# Without the autoscaler, the drain never ends.
cd "$(dirname "$0")/../.."
berth whatif drain -l topology.kubernetes.io/zone=zone-a --from docs/how-to/cluster.json --for 30m | head -4
echo
# With it, there is a new node in the same zone 90 seconds later.
berth whatif drain -l topology.kubernetes.io/zone=zone-a --from docs/how-to/cluster.json --for 30m \
  --autoscaler examples/autoscaled-drain/autoscaler.yaml | head -6
