#!/usr/bin/env bash
berth whatif fail zone zone-a --recover-after 30m --from examples/zone-outage/cluster
