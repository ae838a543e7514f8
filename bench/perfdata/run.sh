#!/bin/sh
# Records 60 s of the whole machine while real programs run, then reads the
# recording with whyhot and with perf script piped into a stack collapser, in
# turn. Needs perf, root, jq and python3; takes some minutes.
#   bench/perfdata/run.sh [ROUNDS [perf record options for the call graph]]
# STACKCOLLAPSE=…/stackcollapse-perf.pl measures against FlameGraph's Perl too, and
# SAMPLY=…/samply against samply's importer (cargo install samply --locked);
# KEEP=FILE keeps the recording.
set -eu
cd "$(dirname "$0")/../.."
rounds=${1:-7}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- -g -F 997
dir=$(mktemp -d)
trap 'kill $load 2>/dev/null || true; rm -rf "$dir"' EXIT
seq 1 300000 | sort -R >"$dir/nums"
load=
(
	set +e
	cd "$dir"
	while :; do
		sort -n nums | gzip -c | md5sum
		python3 -c 'import json
for i in range(300): json.loads(json.dumps(list(range(2000)), indent=1))'
	done
) >/dev/null 2>&1 &
load="$load $!"
(
	set +e
	cd "$dir"
	while :; do
		jq -n '[range(20000) | tostring] | join(",") | length'
		find /usr/share/doc -type f | xargs -r cksum
		awk 'BEGIN { for (i = 0; i < 900000; i++) a[i % 5000] += i }'
	done
) >/dev/null 2>&1 &
load="$load $!"
perf record -q -B -a -e cpu-clock "$@" -o "$dir/perf.data" sleep "${SECONDS_RECORDED:-60}"
kill $load 2>/dev/null || true
ls -l "$dir/perf.data" | awk '{ printf "%.1f MB\n", $5 / 1e6 }'
go build -o "$dir/bench" ./bench/perfdata
go build -o "$dir/whyhot" ./cmd/whyhot
uptime
"$dir/bench" -rounds "$rounds" -whyhot "$dir/whyhot" ${STACKCOLLAPSE:+-stackcollapse "$STACKCOLLAPSE"} ${SAMPLY:+-samply "$SAMPLY"} "$dir/perf.data"
uptime
[ -z "${KEEP:-}" ] || cp "$dir/perf.data" "$KEEP"
