#!/bin/sh
# Loading a pprof profile of 1 000 000 different stacks: whyhot's reader and
# `go tool pprof -top`, run in turn on the same file. Takes some minutes, 300 MB
# of disk and 3 GB of memory.
#   bench/pprof/run.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/../.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/bench" ./bench/pprof
go build -o "$dir/pprof" cmd/pprof # without the start-up of the go command
"$dir/bench" gen "$dir/big.pb.gz"
go build -o "$dir/whyhot" ./cmd/whyhot
"$dir/bench" compare -rounds "${1:-5}" -pprof "$dir/pprof" "$dir/big.pb.gz"
"$dir/bench" compare -rounds "${1:-5}" -pprof "$dir/pprof" -whyhot "$dir/whyhot" "$dir/big.pb.gz"
