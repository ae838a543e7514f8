#!/bin/sh
# Recorded user stacks (--call-graph dwarf): how many of ours are the same as
# perf's, and how long both take for one program. Needs perf, jq, python3, g++.
#   bench/perfdata/stacks.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/../.."
go test -count=1 -v -run TestUnwindSameAsPerf ./internal/ingest/perfdata | grep -E 'stacks:|/'
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
perf record -q -B -e cpu-clock -F 997 --call-graph dwarf -o "$dir/perf.data" \
	jq -n '[range(120000) | tostring] | join(",") | length'
ls -l "$dir/perf.data" | awk '{ printf "%.1f MB\n", $5 / 1e6 }'
go build -o "$dir/bench" ./bench/perfdata
go build -o "$dir/whyhot" ./cmd/whyhot
"$dir/bench" -rounds "${1:-5}" -whyhot "$dir/whyhot" "$dir/perf.data"
