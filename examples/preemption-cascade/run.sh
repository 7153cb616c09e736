#!/usr/bin/env bash
berth whatif preempt -f examples/preemption-cascade/urgent.yaml --from examples/preemption-cascade/cluster --for 10m
