#!/usr/bin/env bash
cd "$(dirname "$0")/../.."
berth whatif taint -l pool=batch maintenance=tonight:NoExecute --from examples/noexecute-pool/cluster --for 10m
