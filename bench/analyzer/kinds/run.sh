#!/bin/sh
# Times the kinds of kinds.h with both compilers: run.sh [BUILD_DIR]. What whyhot
# says of them beforehand comes first.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../../build/bench/kinds}
mkdir -p "$build"
cd "$build"
whyhot=${WHYHOT:-$here/../../../bin/whyhot}
if [ -x "$whyhot" ]; then
  "$whyhot" scan -- clang++-19 -std=c++20 -O3 -c "$here/kinds.cpp" || true
fi
: >samples.tsv
for compiler in clang++-19 g++-12; do
  for flags in -O2 -O3; do
    name=$(echo "$compiler$flags" | tr -d ' =')
    # shellcheck disable=SC2086
    $compiler -std=c++20 $flags -c "$here/kinds.cpp" -o "$name.o"
    $compiler -std=c++20 -O2 "$here/main.cpp" "$name.o" -o "$name"
    "./$name" "$compiler $flags" >>samples.tsv
  done
done
echo '| loop | build | edit | as written | speed-up | 95 % |'
echo '|---|---|---|---|---|---|'
python3 "$here/../ratios.py" <samples.tsv
