#!/usr/bin/env bash
cd "$(dirname "$0")/../.."
berth whatif fail zone zone-a --recover-after 30m --from examples/zone-outage/cluster
