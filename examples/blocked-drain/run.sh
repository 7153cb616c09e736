#!/usr/bin/env bash
cd "$(dirname "$0")/../.."
berth whatif drain a1 a2 a3 --from examples/blocked-drain/cluster --for 30m
