#!/usr/bin/env bash
cd "$(dirname "$0")/../.."
berth whatif upgrade-control-plane --to 1.34.1 --from examples/upgrade-control-plane/dump.json
berth whatif upgrade-control-plane --from-version 1.36 --to 1.37 \
  --steps examples/upgrade-control-plane/rollout.yaml --from examples/upgrade-control-plane/dump.json
