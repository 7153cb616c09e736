#!/usr/bin/env bash
# The step of action.yml: forecasts the manifests, writes the summary of the job, and comments on the pull request.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# shellcheck disable=SC2086 # BERTH is a command with its arguments
forecast() { $BERTH whatif apply --filename "$BERTH_MANIFESTS" --from "$BERTH_FROM" --for "$BERTH_UNTIL" "$@"; }

forecast --output json > "$folder/forecast.json"
code=0
forecast --output markdown --fail-on "$BERTH_FAIL_ON" > "$folder/forecast.md" || code=$?
# Exit code 1 is a negative result; other codes are errors.
if [ "$code" -gt 1 ]; then exit "$code"; fi

verdict=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).verdict' "$folder/forecast.json")
echo "verdict=$verdict" >> "${GITHUB_OUTPUT:-/dev/stdout}"
cat "$folder/forecast.md" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"
if [ "${BERTH_COMMENT:-false}" = true ] && [ -n "${BERTH_PULL_REQUEST:-}" ]; then
  gh pr comment "$BERTH_PULL_REQUEST" --repo "$BERTH_REPOSITORY" --edit-last --create-if-none --body-file "$folder/forecast.md"
fi
exit "$code"
