#!/usr/bin/env bash
cd "$(dirname "$0")/../.."
berth whatif preempt -f examples/preemption-cascade/urgent.yaml --from examples/preemption-cascade/cluster --for 10m
