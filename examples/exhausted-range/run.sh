#!/usr/bin/env bash
cd "$(dirname "$0")/../.."
berth simulate examples/exhausted-range/scenario.yaml
