#!/usr/bin/env bash
berth whatif taint -l pool=batch maintenance=tonight:NoExecute --from examples/noexecute-pool/cluster --for 10m
