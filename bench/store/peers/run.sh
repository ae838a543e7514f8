#!/usr/bin/env bash
# Measures whyhot-server beside Parca and Pyroscope: the same pprof files, sent to each by
# its own API, the same questions, in turn. Downloads nothing: it takes the programs.
#
#   bench/store/peers/run.sh WORK_DIR RECORDING…
#
#   PARCA=FILE      Parca's server; left out of the comparison if it is not given
#   PYROSCOPE=FILE  Pyroscope's, the same
#   WHYHOT=FILE     ours (default: bin/whyhot-server)
#   ROUNDS=10       times that each question is asked
#   AGAIN=N         the same, after the servers were started again (default: ROUNDS)
#   GENERATE=ARGS   flags of "peers generate", such as "-services 4 -minutes 120"
#
# It asks twice: before the servers are stopped, and after they were started again.
# Nothing is sent to the world: Parca's debuginfod and Pyroscope's usage statistics are off.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=${1:?WORK_DIR}
shift
whyhot=${WHYHOT:-$root/bin/whyhot-server}
rounds=${ROUNDS:-10}
again=${AGAIN:-$rounds}
mkdir -p "$work"
work=$(cd "$work" && pwd)
peers=$work/peers-program
(cd "$root" && CGO_ENABLED=0 go build -o "$peers" ./bench/store/peers)

declare -A pid address
trap 'kill "${pid[@]}" 2>/dev/null || true' EXIT

ready() { # NAME PATH: waits until the server answers
  for ((i = 0; i < 600; i++)); do
    if curl -fsS -o /dev/null "http://${address[$1]}$2" 2> /dev/null; then return; fi
    kill -0 "${pid[$1]}" || break
    sleep 0.2
  done
  echo "$1 does not answer: see $work/$1.log" >&2
  exit 1
}

start_whyhot() {
  address[whyhot]=127.0.0.1:27878
  "$whyhot" serve --data "$work/whyhot" --listen "${address[whyhot]}" --listen-grpc '' >> "$work/whyhot.log" 2>&1 &
  pid[whyhot]=$!
  ready whyhot /readyz
}

# Parca keeps nothing unless it is told to: persistence is switched on, and the log of
# writes, without which what is in memory is lost by a crash (ours has one always).
start_parca() {
  address[parca]=127.0.0.1:27070
  mkdir -p "$work/parca"
  cat > "$work/parca.yaml" << CONFIG
object_storage:
  bucket:
    type: FILESYSTEM
    config:
      directory: $work/parca/bucket
CONFIG
  "$PARCA" --config-path="$work/parca.yaml" --http-address="${address[parca]}" --enable-persistence --storage-enable-wal \
    --storage-path="$work/parca/data" --debuginfo-cache-dir="$work/parca-cache" --debuginfod-upstream-servers= >> "$work/parca.log" 2>&1 &
  pid[parca]=$!
  ready parca /metrics
}

# Pyroscope's limits are meant for what is of now and comes slowly: old samples are let
# in, and the rate is not limited.
start_pyroscope() {
  address[pyroscope]=127.0.0.1:27040
  mkdir -p "$work/pyroscope"
  (cd "$work/pyroscope" && exec "$PYROSCOPE" -server.http-listen-port=27040 -server.http-listen-address=127.0.0.1 -server.grpc-listen-port=27095 \
    -validation.reject-older-than=0 -distributor.ingestion-rate-limit-mb=100000 -distributor.ingestion-burst-size-mb=100000 \
    -usage-stats.enabled=false -self-profiling.disable-push=true) >> "$work/pyroscope.log" 2>&1 &
  pid[pyroscope]=$!
  ready pyroscope /ready
}

names=(whyhot)
[[ -z ${PARCA:-} ]] || names+=(parca)
[[ -z ${PYROSCOPE:-} ]] || names+=(pyroscope)

servers() { for n in "${names[@]}"; do echo "$n=${address[$n]},${pid[$n]}"; done; }
sizes() { for n in "${names[@]}"; do printf '%-10s %s bytes on disk, %s in use of blocks\n' "$n" "$(du -sb "$work/$n" | cut -f1)" "$(du -s --block-size=1 "$work/$n" | cut -f1)"; done; }
stop() {
  for n in "${names[@]}"; do
    kill -TERM "${pid[$n]}"
    wait "${pid[$n]}" || echo "$n ended with $?"
    unset "pid[$n]"
  done
}

uptime
# shellcheck disable=SC2086 # several flags
[[ -d $work/files ]] || "$peers" generate -out "$work/files" ${GENERATE:-} "$@"
for n in "${names[@]}"; do "start_$n"; done
mapfile -t all < <(servers)
"$peers" push -from "$work/files" "${all[@]}"
uptime
echo "asked right after"
"$peers" ask -from "$work/files" -rounds "$rounds" "${all[@]}"
uptime
sizes
stop
echo "stopped"
sizes
for n in "${names[@]}"; do "start_$n"; done
mapfile -t all < <(servers)
echo "started again"
"$peers" ask -from "$work/files" -rounds "$again" "${all[@]}"
uptime
if [[ -n ${SETTLE:-} ]]; then sleep "$SETTLE"; fi
stop
echo "stopped again"
sizes
