#!/usr/bin/env bash
# The hook of .pre-commit-hooks.yaml: forecasts the changed manifests. Arguments: --from=FILE [--fail-on=VERDICT] FILE…
set -euo pipefail
from='' fail_on=unsafe files=()
for argument in "$@"; do
  case "$argument" in
    --from=*) from=${argument#--from=} ;;
    --fail-on=*) fail_on=${argument#--fail-on=} ;;
    *) files+=("$argument") ;;
  esac
done
if [ -z "$from" ]; then
  echo 'berth-forecast: set args: [--from=SNAPSHOT] in .pre-commit-config.yaml; create one with berth snapshot' >&2
  exit 2
fi
code=0
for file in "${files[@]}"; do
  # Only manifests: other YAML and JSON files have no kind.
  grep -Eq '(^|[{,[:space:]])"?kind"?[[:space:]]*:' "$file" || continue
  # Kustomizations and templates are not objects of a cluster.
  if grep -Eq '^kind:[[:space:]]*(Kustomization|Component)[[:space:]]*$|^[[:space:]]*\{\{' "$file"; then
    echo "berth-forecast: $file is skipped: build it first, with kubectl kustomize or helm template" >&2
    continue
  fi
  # shellcheck disable=SC2086 # BERTH is a command with its arguments
  ${BERTH:-npx --yes kubeberth} whatif apply --filename "$file" --from "$from" --fail-on "$fail_on" || code=$?
done
exit "$code"
