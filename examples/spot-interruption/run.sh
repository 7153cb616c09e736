set -e
berth simulate examples/spot-interruption/interruption.yaml | head -4
