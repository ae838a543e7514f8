# Sourced before the commands of a page: a network of its own, commands that do not end,
# and what the pages' scripts use. $blocks is this directory, $shared what prepare.sh
# made, $top the top of the tree.
set -euo pipefail
ip link set lo up 2> /dev/null || true
exec < /dev/null
place=start jobs=()

# at PLACE [COMMAND]: where what follows stands, and what it is
at() {
  place=$1
  printf '\n== %s%s\n' "$place" "${2+  $2}"
  [ $# -eq 1 ] || before_command "$2"
}
# before_command COMMAND: what a page waits for, or finds out, before a command
before_command() { :; }
failed() {
  local status=$?
  trap - EXIT
  [ $status -ne 0 ] || return 0
  printf '%s: failed with status %s\n' "$place" "$status"
  end_jobs
  exit 1
}
trap failed EXIT

# until_true SECONDS COMMAND...: waits for what another process does
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "after waiting: $* is still false"; return 1; }
    sleep 0.1
  done
}

# answers ADDRESS/PORT
answers() { (: < "/dev/tcp/$1"); }
# said PATTERN FILE PID: it is in the file, or the process is gone
said() { grep -q -- "$1" "$2" || ! kill -0 "$3"; }

# background NAME READY COMMAND...: in a terminal of its own, until it has said READY
background() {
  local log=$PWD/$1.log ready=$2
  shift 2
  "$@" > "$log" 2>&1 &
  jobs+=("$!:$log")
  until_true 120 said "$ready" "$log" "$!" && kill -0 "$!" || { cat "$log"; return 1; }
}
end_jobs() {
  local job
  for job in "${jobs[@]}"; do kill -TERM "${job%%:*}" 2> /dev/null || true; done
  for job in "${jobs[@]}"; do
    wait "${job%%:*}" || { echo "ended with status $?:"; cat "${job#*:}"; bad=1; }
  done
  jobs=()
}
# finish: what ran in other terminals ends well, too
finish() {
  local bad=0
  end_jobs
  [ $bad -eq 0 ] || exit 1
}

# Root already, or as good as.
sudo() { "$@"; }
whyhot() {
  case ${1-} in
    serve) background serve 'protocol=gRPC' command whyhot "$@" ;;
    agent) background agent 'recording at' command whyhot "$@" --spool "$PWD/spool" ;;
    receive) background receive 'listening for OTLP/HTTP' command whyhot "$@" ;;
    open) background "open$((++opened))" 'http://' command whyhot "$@" ;;
    *) command whyhot "$@" ;;
  esac
}
opened=0

# program NAME [ROUNDS]: the example as ./NAME, with its source, a Makefile, a database of
# commands, and input
program() {
  local name=$1
  sed "s/ROUNDS/${2-4}/" "$blocks/testdata/app.c" > "$name.c"
  printf '%s: %s.c\n\tcc -O2 -g -o $@ $<\ncheck: %s\n\t./%s input > /dev/null\nclean:\n\trm -f %s\n' "$name" "$name" "$name" "$name" "$name" > Makefile
  seq 20000 > input
  make -s "$name"
  database . "$PWD/$name.c"
}
# recorded FILE COMMAND...: its profile, with samples also where the machine is so busy
# that a short command is over before the recorder sees it
recorded() {
  local file=$1
  shift
  for _ in 1 2 3 4 5 6; do
    command whyhot record -o "$file" -- "$@" > /dev/null || continue
    [ "$(command whyhot explain "$file" --json | jq .profile.samples)" -lt 20 ] || return 0
  done
  echo "$* is recorded without samples"
  return 1
}
# database DIR SOURCE: DIR/compile_commands.json
database() {
  mkdir -p "$1"
  printf '[{"directory": "%s", "file": "%s", "command": "cc -O2 -g -c %s"}]\n' "$(dirname "$2")" "$2" "$2" > "$1/compile_commands.json"
}
# first_finding FILE: the ID of one that a preloaded library may prove
first_finding() { command whyhot explain "$1" --json | jq -er 'first(.findings[] | select(.fix.preload // [] | length > 0)).id'; }
# scanned: the ID of the loop that the analyser confirms
scanned() { command whyhot scan -p . --json | jq -er '.findings[0].id'; }
# served [SERVICE...]: a server with the shared profile as that of each service
served() {
  local service version
  background serve 'protocol=gRPC' command whyhot serve --data "$PWD/fleet" || return
  for service; do
    for version in 1.4 1.5; do
      command whyhot push "$shared/app.pb.gz" --to http://localhost:7878 --service "$service" --version "$version" --label pod=web-1 --label environment=test || return
    done
  done
}
