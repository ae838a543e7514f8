#!/bin/bash
# What exported profiles give C programs, beside instrumented ones: Debian's Lua or bzip2,
# built by clang 19, with the export for -fprofile-sample-use and for llvm-bolt -data.
# What is learned from is not what is measured.
#   bench/nextbuild/native.sh lua|bzip2 WORK_DIR
set -euo pipefail
program=$1
work=$(mkdir -p "$2" && cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
make -s -C "$root" build
whyhot=$root/bin/whyhot

case $program in
lua)
  source=$("$root/scripts/deb-source" --upstream lua5.4 "$work")/src
  files=$(cd "$source" && ls ./*.c | grep -v luac.c)
  # BOLT 19 cannot move the targets of computed gotos: "unable to get new address".
  flags='-DLUA_USE_POSIX -DLUA_COMPAT_5_3 -DLUA_USE_JUMPTABLE=0 -lm'
  train="$here/train.lua"
  measured="$here/measured.lua"
  ;;
bzip2)
  source=$("$root/scripts/deb-source" bzip2 "$work")
  files='blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c'
  flags='-D_FILE_OFFSET_BITS=64'
  cat "$root"/docs/guide/*.md "$root"/docs/decisions/*.md > "$work/text"
  cat "$root"/internal/*/*.go "$root"/internal/*/*/*.go > "$work/code"
  train="-kc $work/text"
  measured="-kc $work/code"
  ;;
*) echo "native.sh: unknown program $program: lua or bzip2" >&2; exit 2 ;;
esac
cd "$source"
# A profile of samples wants line tables, BOLT the relocations; all builds have both.
build() { # NAME FLAGS…
  local out=$1
  shift
  # shellcheck disable=SC2086 # lists of words
  clang-19 -O2 -g -fdebug-info-for-profiling -Wl,--emit-relocs -Wl,--build-id "$@" -o "$out" $files $flags
}
# Under these names: BOLT goes by its own, and looks for its runtime beside itself.
llvm=$(dirname "$(readlink -f "$(command -v llvm-bolt-19)")")
layout='-reorder-blocks=ext-tsp -reorder-functions=hfsort -split-functions -split-all-cold -icf=1'

build plain
repeated="for i in \$(seq ${TRAININGS:-40}); do ./plain $train > /dev/null; done"
"$whyhot" record -o train.pb.gz -- sh -c "$repeated"
"$whyhot" profile export --format llvm-sample train.pb.gz --binary plain -o export.prof
"$whyhot" profile export --format bolt train.pb.gz --binary plain -o export.fdata
build pgo-export -fprofile-sample-use="$PWD/export.prof"

build counting -fprofile-instr-generate="$PWD/counts.profraw"
# shellcheck disable=SC2086
./counting $train > /dev/null
llvm-profdata-19 merge -o counts.profdata counts.profraw
build pgo-counts -fprofile-instr-use="$PWD/counts.profdata"

# shellcheck disable=SC2086
{
  "$llvm/llvm-bolt" plain -data=export.fdata -o bolt-export $layout
  perf record -q -e cpu-clock -F 999 -o perf.data -- sh -c "$repeated"
  "$llvm/perf2bolt" -nl -p perf.data -o perf.fdata plain
  "$llvm/llvm-bolt" plain -data=perf.fdata -o bolt-perf $layout
  "$llvm/llvm-bolt" plain -instrument -instrumentation-file="$PWD/counts.fdata" -o bolt-counting
  ./bolt-counting $train > /dev/null
  "$llvm/llvm-bolt" plain -data=counts.fdata -o bolt-counts $layout
} > bolt.log 2>&1 || { tail -n 20 bolt.log >&2; exit 1; }

versus=()
for name in pgo-export pgo-counts bolt-export bolt-perf bolt-counts; do
  versus+=(--versus "$name=./$name $measured")
done
# shellcheck disable=SC2086
"$whyhot" try --metric "${METRIC:-cpu}" --budget "${BUDGET:-3m}" "${versus[@]}" -- ./plain $measured
