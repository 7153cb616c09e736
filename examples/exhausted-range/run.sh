#!/usr/bin/env bash
berth simulate examples/exhausted-range/scenario.yaml
