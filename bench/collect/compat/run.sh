#!/usr/bin/env bash
# What whyhot's agent, whyhot record and the unmodified OpenTelemetry eBPF profiler
# send, directly and through OpenTelemetry Collectors, against what whyhot receive
# writes: every sample with its labels, frames, build IDs and offsets (see check).
#
#   bench/collect/compat/run.sh [REQUESTS]     requests of each sender, 4 unless told
#
# The last part sends hostile requests to a receiver of its own (see hostile).
#
# Needs root, Go, g++, python3, node and a JDK; the Go module proxy for the profiler
# and the Collectors, which are built in build/bench/compat. Prints a table, and fails
# when a line of it differs. Takes 10 minutes, the first time 20.
set -euo pipefail
cd "$(dirname "$0")/../../.."
requests=${1:-4}
profiler_version=v0.0.202633
# Releases that speak the version of the protocol that whyhot speaks, and one from
# before: what that one makes of profiles must be refused.
collectors=${COLLECTORS:-v0.150.0 v0.162.0}
old_collector=${OLD_COLLECTOR-v0.139.0}
port=${PORT:-24300}

source=$PWD/bench/collect/compat
build=$PWD/build/bench/compat
mkdir -p "$build"
[ -n "${WHYHOT:-}" ] || { make -s build; WHYHOT=$PWD/bin/whyhot; }

# Into the module in the directory $1, package $2 at the versions of the rest.
add() {
  local dir=$1 out=$2 package=$3
  shift 3
  (cd "$dir" && go get "$@" 2>&1 | { grep -v '^go: \(added\|upgraded\|downgraded\|downloading\|warning\|to switch\)\|^\tgo get' || true; } && go build -o "$out" "$package")
}

build_collector() {
  local version=$1 dir=$build/collector-$1 at=go.opentelemetry.io/collector
  local minor=${version#v0.} stable
  stable=v1.$((${minor%%.*} - 94)).0 # stable modules of the same release
  [ ! -x "$dir/collector" ] || return 0
  rm -rf "$dir" && cp -r "$source/collector" "$dir"
  add "$dir" collector . \
    $at/{component,confmap,confmap/provider/yamlprovider,confmap/provider/fileprovider,exporter,receiver}@"$stable" \
    $at/{otelcol,receiver/otlpreceiver,exporter/otlpexporter,exporter/otlphttpexporter}@"$version" \
    $at/service/telemetry/otelconftelemetry@"$version"
}

build_profiler() {
  local dir=$build/profiler
  [ ! -x "$dir/ebpf-profiler" ] || return 0
  rm -rf "$dir" && mkdir "$dir"
  (cd "$dir" && go mod init profiler 2> /dev/null)
  CGO_ENABLED=0 add "$dir" ebpf-profiler go.opentelemetry.io/ebpf-profiler go.opentelemetry.io/ebpf-profiler@$profiler_version
}

(cd "$source" && go build -o "$build/" ./tee ./check ./start ./hostile)
build_profiler
for v in $collectors $old_collector; do build_collector "$v"; done
g++ -O2 -g -fomit-frame-pointer -pthread -o "$build/burn" "$source/load/burn.cpp"
javac -d "$build" "$source/load/Burn.java"

dir=$(mktemp -d)
started=()
finish() {
  ((${#started[@]} == 0)) || kill "${started[@]}" 2> /dev/null || true
  wait
  rm -rf "$dir"
}
trap finish EXIT

background() {
  local log=$1
  shift
  "$@" > "$log" 2>&1 &
  last=$!
  started+=("$last")
}
stop() { kill "$1" 2> /dev/null && wait "$1" 2> /dev/null || true; }

background "$dir/load" "$build/burn"
background "$dir/load" python3 "$source/load/burn.py"
background "$dir/load" node "$source/load/burn.js"
background "$dir/load" java -cp "$build" Burn

# Ways from the tee: to a receiver of their own each, on the ports from $port + 1 on.
# On the last, the Collector joins what it gets within some seconds into one request.
ways=(direct grpc proto json joined)
collector_port=$((port + 6)) tee_port=$((port + 7))
collector_config() {
  cat << Y
receivers: {otlp: {protocols: {grpc: {endpoint: "127.0.0.1:$collector_port"}}}}
exporters:
  otlp: {endpoint: "127.0.0.1:$((port + 2))", tls: {insecure: true}}
  otlp/joined:
    endpoint: "127.0.0.1:$((port + 5))"
    tls: {insecure: true}
    sending_queue: {batch: {flush_timeout: 12s, min_size: 1000000, sizer: items}}
  otlphttp/proto: {profiles_endpoint: "http://127.0.0.1:$((port + 3))/v1development/profiles"}
  otlphttp/json: {profiles_endpoint: "http://127.0.0.1:$((port + 4))/v1development/profiles", encoding: json}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {profiles: {receivers: [otlp], exporters: [otlp, otlp/joined, otlphttp/proto, otlphttp/json]}}
Y
}

listening() {
  for _ in {1..200}; do
    (: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null && return
    sleep 0.1
  done
  echo "nothing listens on port $1" >&2
  return 1
}

# One sender through one Collector; leaves all in $run.
send() {
  local sender=$1 collector=$2 i
  run=$dir/$sender-$collector
  mkdir -p "$run/sent"
  local receivers=()
  for i in "${!ways[@]}"; do
    local on=(--listen "127.0.0.1:$((port + 1 + i))" --listen-http '')
    [[ ${ways[i]} != @(proto|json) ]] || on=(--listen '' --listen-http "127.0.0.1:$((port + 1 + i))")
    background "$run/${ways[i]}.log" "$WHYHOT" receive "${on[@]}" -o "$run/${ways[i]}"
    receivers+=("$last")
  done
  collector_config > "$run/config.yaml"
  background "$run/collector.log" "$build/collector-$collector/collector" --config "$run/config.yaml" --feature-gates=service.profilesSupport
  local the_collector=$last
  for i in 1 2 3 4 5 6; do listening $((port + i)); done
  background "$run/tee.log" "$build/tee" -listen "127.0.0.1:$tee_port" -keep "$run/sent" "127.0.0.1:$((port + 1))" "127.0.0.1:$collector_port"
  local tee=$last to=127.0.0.1:$tee_port
  listening $tee_port
  case $sender in
    profiler) background "$run/sender.log" "$build/start" "$build/profiler/ebpf-profiler" -collection-agent "$to" -disable-tls ;;
    agent) background "$run/sender.log" "$WHYHOT" agent --to "$to" --spool "$run/spool" ;;
    record) background "$run/sender.log" "$WHYHOT" record -a -d $((requests * 3)) --otlp "$to" ;;
  esac
  local the_sender=$last
  for _ in {1..600}; do
    kill -0 "$the_sender" 2> /dev/null || break
    [ "$sender" = record ] || (($(find "$run/sent" -name '*.pb' | wc -l) < requests)) || break
    sleep 0.5
  done
  # Those that hand on before those that take: nothing may be under way at the end.
  stop "$the_sender"
  stop "$tee"
  stop "$the_collector"
  for i in "${receivers[@]}"; do stop "$i"; done
}

failed=0
printf '%-44s %5s %7s %7s %6s %5s %5s %6s\n' 'sender, Collector, way' reqs sent written procs thrds cntrs builds
for sender in profiler agent record; do
  for collector in $collectors; do
    send "$sender" "$collector"
    for way in "${ways[@]}"; do
      "$build/check" "$sender, $collector, $way" "$run/sent" "$run/$way" || failed=1
    done
  done
done

# The old Collector reads another version's fields as its own. All of what it hands
# on must be refused, and said to be of another version.
if [ -n "$old_collector" ]; then
  send profiler "$old_collector"
  for way in grpc proto json joined; do
    if [ -n "$(find "$run/$way" -name '*.pb.gz')" ]; then
      echo "profiler, $old_collector, $way: was taken, and must not be"
      failed=1
    fi
  done
  refusals=$(grep -c 'another version of the protocol' "$run/collector.log" || true)
  echo "profiler, $old_collector: $refusals refusals that name the version"
  ((refusals > 0)) || failed=1
fi
"$build/hostile" "$WHYHOT" || failed=1
exit $failed
