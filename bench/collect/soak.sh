#!/usr/bin/env bash
# Lets an agent send to a receiver that is stopped and started again, every second
# time by SIGKILL, and counts: every sample that was recorded must have arrived once
# or be counted as dropped.
#
#   bench/collect/soak.sh [SECONDS [STOPS]]      7200 and 5 unless told otherwise
set -euo pipefail
seconds=${1:-7200}
stops=${2:-5}
whyhot=${WHYHOT:-$(cd "$(dirname "$0")/../.." && pwd)/bin/whyhot}
frequency=19
addr=127.0.0.1:${PORT:-14327}
metrics=127.0.0.1:${METRICS_PORT:-19474}

dir=$(mktemp -d)
receiver='' agent=''
trap 'kill ${agent:+"$agent"} ${receiver:+"$receiver"} 2>/dev/null || true; rm -rf "$dir"' EXIT

start() {
  "$whyhot" receive --listen "$addr" --listen-http '' -o "$dir/out" 2>> "$dir/receive.log" &
  receiver=$!
}

start
"$whyhot" agent --to "$addr" --spool "$dir/spool" -F "$frequency" --metrics "$metrics" 2> "$dir/agent.log" &
agent=$!

# Each round: the server up for two thirds of it, then away for a third.
up=$((seconds * 2 / 3 / (stops + 1)))
away=$((seconds / 3 / stops))
peak=0
look() { peak=$(awk '/VmHWM/ { print $2 }' "/proc/$agent/status"); }
for ((i = 1; i <= stops; i++)); do
  sleep "$up"
  signal=TERM
  ((i % 2)) || signal=KILL
  kill -s "$signal" "$receiver"
  wait "$receiver" 2> /dev/null || true
  sleep "$away"
  look
  start
done
sleep "$up"
look
cpu=$(curl -s "http://$metrics/metrics" | awk '/^process_cpu_seconds_total/ { print $2 }')
kill -TERM "$agent"
wait "$agent"
agent=''
kill -TERM "$receiver"
wait "$receiver"
receiver=''

arrived=0
files=0
for file in "$dir"/out/*.pb.gz; do
  sum=$("$whyhot" fold --no-symbols "$file" | awk '{ sum += $NF } END { print sum + 0 }')
  arrived=$((arrived + sum))
  files=$((files + 1))
done
summary=$(grep 'samples recorded' "$dir/agent.log")
read -r recorded delivered dropped waiting < <(sed -E 's/[^0-9]+/ /g; s/^ //' <<< "$summary")
echo "$seconds s, the server stopped $stops times, every second time by SIGKILL"
echo "recorded $recorded, delivered $delivered, dropped $dropped, in the spool $waiting"
echo "arrived: $arrived samples in $files files"
echo "agent: CPU $cpu s, peak memory $((peak / 1024)) MiB"
grep -v 'samples recorded' "$dir/agent.log" | sort | uniq -c | sort -rn | head -5
if ((recorded != arrived + dropped + waiting)); then
  echo "FAILED: $((recorded - arrived - dropped - waiting)) samples are not accounted for" >&2
  exit 1
fi
