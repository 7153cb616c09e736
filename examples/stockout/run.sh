set -e
# The deployment doubles while spot capacity is available.
grep -v stockOut examples/stockout/stockout.yaml | sed 's#^cluster: #cluster: examples/stockout/#' |
  berth simulate - | head -3
echo
# The deployment doubles while spot capacity is unavailable.
berth simulate examples/stockout/stockout.yaml | head -3
