#!/usr/bin/env bash
# Compares whyhot's DWARF reader with the standard library's debug/dwarf on binaries
# that have debug information: the answers for 100 000 addresses, then time and memory
# in interleaved runs for 30, 2000 and all of them.
#
#   bench/symbol/readers.sh ROUNDS BINARY…
set -euo pipefail
rounds=$1
shift
binaries=()
for obj in "$@"; do binaries+=("$(realpath "$obj")"); done
cd "$(dirname "$0")/../.."
work=$PWD/build/bench/readers
mkdir -p "$work"
go build -o "$work/" ./bench/symbol/{reader,compare,pair,addresses}
cd "$work"
for obj in "${binaries[@]}"; do
  echo "== $obj, $(($(stat -c %s "$obj") >> 20)) MB"
  ./addresses -obj "$obj" > all
  for n in 30 2000; do shuf -n $n --random-source=all all > $n; done
  for reader in std own; do ./reader -allocs -reader $reader -obj "$obj" < all > $reader; done
  ./compare std own
  for which in 30 2000 all; do
    echo "$which addresses; a: debug/dwarf, b: whyhot's reader"
    ./pair -rounds "$rounds" -in $which -a "./reader -reader std -obj $obj" -b "./reader -reader own -obj $obj"
  done
done
