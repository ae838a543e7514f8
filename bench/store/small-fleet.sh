#!/usr/bin/env bash
# A real fleet in small: four agents, each in a network namespace of its own, send over
# TLS and with a token to one server, while programs in five languages run, in two
# versions. As root. All agents are on one kernel, so each sees every program.
#
#   bench/store/small-fleet.sh [SECONDS]      60 unless told otherwise
set -euo pipefail
seconds=${1:-60}
bin=${BIN:-$(cd "$(dirname "$0")/../.." && pwd)/bin}
dir=$(mktemp -d)
jobs=()
clean() {
  kill "${jobs[@]}" 2> /dev/null || true
  wait
  for i in 1 2 3 4; do ip netns delete "whyhot$i" 2> /dev/null || true; done
  rm -rf "$dir"
}
trap clean EXIT

openssl req -x509 -newkey rsa:2048 -nodes -keyout "$dir/key.pem" -out "$dir/cert.pem" -days 2 -subj /CN=fleet \
  -addext 'subjectAltName=IP:10.77.1.1,IP:10.77.2.1,IP:10.77.3.1,IP:10.77.4.1' 2> /dev/null
"$bin/whyhot-server" token create --data "$dir/data" --project default --scope send > "$dir/send"
"$bin/whyhot-server" token create --data "$dir/data" --project default --scope read > "$dir/read"
for i in 1 2 3 4; do
  ip netns add "whyhot$i"
  ip link add "wh$i" type veth peer name eth0 netns "whyhot$i"
  ip address add "10.77.$i.1/24" dev "wh$i"
  ip link set "wh$i" up
  ip -n "whyhot$i" address add "10.77.$i.2/24" dev eth0
  ip -n "whyhot$i" link set eth0 up
done
"$bin/whyhot-server" serve --data "$dir/data" --listen 0.0.0.0:17979 --listen-grpc 0.0.0.0:14979 \
  --tls-cert "$dir/cert.pem" --tls-key "$dir/key.pem" --rules-every 10s 2> "$dir/server.log" &
jobs+=($!)
sleep 3

# Programs that run until they are ended.
mkdir "$dir/programs"
cat > "$dir/programs/orders.py" << 'P'
import json
rows = [{"id": i, "name": "n%d" % i, "tags": ["a", "b"]} for i in range(2000)]
while True:
    json.loads(json.dumps(rows))
P
cat > "$dir/programs/words.pl" << 'P'
while (1) { my %h; $h{"w" . ($_ % 997)} .= "x" for 1 .. 50000; my @s = sort keys %h; }
P
cat > "$dir/programs/tree.js" << 'P'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
for (;;) fib(27)
P
cat > "$dir/programs/sum.c" << 'P'
#include <stdlib.h>
#include <string.h>
int main(void) { for (;;) { char *p = malloc(100 + rand() % 900); memset(p, 1, 100); free(p); } }
P
gcc -O2 -g -o "$dir/programs/sum" "$dir/programs/sum.c"
python3 "$dir/programs/orders.py" & jobs+=($!)
perl "$dir/programs/words.pl" & jobs+=($!)
node "$dir/programs/tree.js" & jobs+=($!)
"$dir/programs/sum" & jobs+=($!)
ruby -e 'loop { (1..20000).map { |i| i.to_s.reverse }.sort }' & jobs+=($!)

agents=()
for i in 1 2 3 4; do
  version=1.4
  ((i < 3)) || version=1.5
  ip netns exec "whyhot$i" "$bin/whyhot" agent --to "10.77.$i.1:14979" --ca "$dir/cert.pem" --token-file "$dir/send" \
    --spool "$dir/spool$i" --resource "host.name=host-$i" --resource "service.version=$version" 2> "$dir/agent$i.log" &
  agents+=($!)
done
sleep "$seconds"
kill -TERM "${agents[@]}"
wait "${agents[@]}" || true

ask=(--from https://10.77.1.1:17979 --ca "$dir/cert.pem" --token-file "$dir/read")
for i in 1 2 3 4; do grep 'samples recorded' "$dir/agent$i.log" | sed "s/^whyhot:/host-$i:/"; done
api() { curl -s --cacert "$dir/cert.pem" -H "Authorization: Bearer $(cat "$dir/read")" "https://10.77.1.1:17979/api/v1/$1"; }
api 'top?from=now-1h&exact=true&limit=1' | python3 -c 'import json, sys; print("in the store:", json.load(sys.stdin)["basis"]["count"], "samples")'
api 'labels/host?from=now-1h' | python3 -c 'import json, sys; print("hosts:", ", ".join(v["value"] for v in json.load(sys.stdin)["values"]))'
echo "without a token: $(curl -s -o /dev/null -w '%{http_code}' --cacert "$dir/cert.pem" https://10.77.1.1:17979/api/v1/top)"
"$bin/whyhot" top "${ask[@]}" --last 1h -n 15
"$bin/whyhot" diff "${ask[@]}" --service python3 version=1.4 version=1.5 -n 5 || true
"$bin/whyhot" explain "${ask[@]}" --service python3 | head -20
for _ in $(seq 30); do # the rules look every ten seconds
  [[ $(api findings) != '{"findings":[]}'* ]] && break
  sleep 2
done
api findings | python3 -c 'import json, sys
for f in json.load(sys.stdin)["findings"][:8]: print(f["service"], f["finding"]["id"], f["finding"]["certainty"])'
