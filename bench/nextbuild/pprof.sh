#!/bin/bash
# What a profile that whyhot recorded and exported gives another Go program: google/pprof,
# which prints a profile as text. It is trained on one profile and measured on another;
# both should have some hundred kilobytes.
#   bench/nextbuild/pprof.sh WORK_DIR TRAINING.pb.gz MEASURED.pb.gz
set -euo pipefail
training=$(realpath "$2") measured=$(realpath "$3")
work=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
root=$PWD
make -s build
whyhot=$root/bin/whyhot
if [ ! -d "$work/pprof" ]; then
  cp -r "$(go list -m -f '{{.Dir}}' github.com/google/pprof)" "$work/pprof"
  chmod -R u+w "$work/pprof"
fi
cd "$work/pprof"
cp "$training" training.pb.gz
cp "$measured" measured.pb.gz
go build -pgo=off -o plain .
"$whyhot" record -o train.pb.gz -- sh -c 'for i in $(seq 25); do ./plain -raw -symbolize=none training.pb.gz > /dev/null; done'
"$whyhot" profile export --format go-pgo train.pb.gz --binary plain -o export.pgo
go build -pgo="$PWD/export.pgo" -o exported .
"$whyhot" try --metric "${METRIC:-cpu}" --budget "${BUDGET:-150s}" \
  --versus 'export=./exported -raw -symbolize=none measured.pb.gz' -- ./plain -raw -symbolize=none measured.pb.gz
