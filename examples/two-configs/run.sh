#!/usr/bin/env bash
cd "$(dirname "$0")/../.."
berth whatif config examples/two-configs/usual.yaml examples/two-configs/hasty.yaml \
  --steps examples/two-configs/outage.yaml --from examples/two-configs/cluster --for 30m
