#!/usr/bin/env bash
# Lets an agent, with uploads of debug information, send to a server that is stopped and
# started again, every second time by SIGKILL, and counts: every sample that was recorded
# must be in the store once, or be counted as dropped. A question is asked every ten
# seconds, and those that took more than two are listed.
#
#   bench/store/soak.sh [SECONDS [STOPS]]      7200 and 10 unless told otherwise
#   KEEP=DIR   keep the data, the spool and the logs there
set -euo pipefail
seconds=${1:-7200}
stops=${2:-10}
bin=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/bin}
http=127.0.0.1:${HTTP_PORT:-17878}
grpc=127.0.0.1:${GRPC_PORT:-14337}
metrics=127.0.0.1:${METRICS_PORT:-19475}

dir=${KEEP:-$(mktemp -d)}
mkdir -p "$dir"
server='' agent='' watcher='' asker=''
clean() {
  kill ${agent:+"$agent"} ${server:+"$server"} ${watcher:+"$watcher"} ${asker:+"$asker"} 2> /dev/null || true
  [ -n "${KEEP:-}" ] || rm -rf "$dir"
}
trap clean EXIT

start() {
  "$bin/whyhot-server" serve --data "$dir/data" --listen "$http" --listen-grpc "$grpc" 2>> "$dir/server.log" &
  server=$!
}
peak_of() {
  awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$1/status" || { echo "it has ended:" >&2; tail -20 "$dir/server.log" "$dir/agent.log" >&2; exit 1; }
}

start
"$bin/whyhot" agent --to "$grpc" --spool "$dir/spool" -F 19 --metrics "$metrics" 2> "$dir/agent.log" &
agent=$!

# Ten lines of memory over time, of both; the server is whoever has its data now.
memory_of() {
  awk '/^(VmHWM|RssAnon|RssFile)/ { printf " %s %d", $1, $2 / 1024 }' "/proc/$1/status" 2> /dev/null || true
}
watch_memory() {
  while sleep "$((seconds / 10))"; do
    echo "after $SECONDS s, MiB: agent$(memory_of "$agent"); server$(memory_of "$(pgrep -f "whyhot-server serve --data $dir/data" || echo 0)")"
  done
}
watch_memory &
watcher=$!

ask() {
  local paths=('top?from=now-1h&limit=20' 'top?from=now-24h&exact=true&limit=1' 'tree?from=now-1h' 'timeline?from=now-6h' 'services?from=now-24h') i
  for ((i = 0; ; i++)); do
    sleep 10
    local path=${paths[i % ${#paths[@]}]}
    echo "$(curl -s -o /dev/null -m 120 -w '%{time_total} %{http_code}' "http://$http/api/v1/$path" || true) $SECONDS $path" >> "$dir/asked"
  done
}
ask &
asker=$!

# Each round: the server up for five sixths of it, then away for a sixth.
up=$((seconds * 5 / 6 / (stops + 1)))
away=$((seconds / 6 / stops))
server_peak=0
for ((i = 1; i <= stops; i++)); do
  sleep "$up"
  now=$(peak_of "$server")
  ((now <= server_peak)) || server_peak=$now
  signal=TERM
  ((i % 2)) || signal=KILL
  kill -s "$signal" "$server"
  wait "$server" 2> /dev/null || true
  sleep "$away"
  start
done
sleep "$up"
agent_peak=$(peak_of "$agent")
kill "$watcher" "$asker"
watcher='' asker=''
cpu=$(curl -s "http://$metrics/metrics" | awk '/^process_cpu_seconds_total/ { print $2 }')
kill -TERM "$agent"
wait "$agent"
agent=''
summary=$(grep 'samples recorded' "$dir/agent.log")
read -r recorded delivered dropped waiting < <(sed -E 's/[^0-9]+/ /g; s/^ //' <<< "$summary")
# What was taken last can be asked for a moment later, which is longer on a busy machine.
asked=$SECONDS
while
  arrived=$(curl -s "http://$http/api/v1/top?from=now-24h&exact=true&limit=1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["basis"]["count"])')
  ((recorded != arrived + dropped + waiting && SECONDS - asked < 120))
do
  echo "$((SECONDS - asked)) s after the agent's end: $arrived samples can be asked for; the journal: $(curl -s "http://$http/api/v1/stats" | python3 -c 'import json, sys; print(json.load(sys.stdin)["journal"])')"
  sleep 2
done
now=$(peak_of "$server")
((now <= server_peak)) || server_peak=$now
server_cpu=$(awk '{ print ($14 + $15) / 100 }' "/proc/$server/stat")
unresolved=$(curl -s "http://$http/api/v1/stats" | python3 -c 'import json, sys; s = json.load(sys.stdin); print(s.get("unresolved"), s.get("bytes"))')
kill -TERM "$server"
wait "$server"
server=''

echo "$seconds s, the server stopped $stops times, every second time by SIGKILL"
echo "recorded $recorded, delivered $delivered, dropped $dropped, in the spool $waiting"
echo "arrived: $arrived samples; addresses not looked up and bytes on disk: $unresolved"
echo "agent: CPU $cpu s, peak memory $agent_peak MiB; server: CPU $server_cpu s since its last start, peak memory $server_peak MiB"
awk '$2 == 200 { n++; if ($1 > most) most = $1; if ($1 > 2) slow = slow sprintf("\n  %s s after %s s: %s", $1, $3, $4) } END { printf "%d questions were answered, the longest in %s s%s\n", n, most, slow }' "$dir/asked"
grep -c 'debug information of' "$dir/server.log" | sed 's/$/ files of debug information uploaded/'
grep -E 'WARN|ERROR' "$dir/server.log" | sed 's/^time=[^ ]* //' | sort | uniq -c | sort -rn | head -5 || true
if ((recorded != arrived + dropped + waiting)); then
  echo "FAILED: $((recorded - arrived - dropped - waiting)) samples are not accounted for" >&2
  exit 1
fi
