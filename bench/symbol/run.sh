#!/usr/bin/env bash
# Compares whyhot's symboliser with llvm-symbolizer-19 on a real C++ program:
# the answers for 100 000 addresses, then time and memory in interleaved runs.
#
#   bench/symbol/run.sh [ROUNDS]
#
# The program is cppcheck, from Debian's source package, built with -O2 -g (104 MB
# with debug information). Needs: g++, make, clang-19, llvm-19, dpkg-dev and a Debian
# archive that apt can reach. Sources and builds go to build/bench/symbol.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-11}
work=$PWD/build/bench/symbol
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"

# A private list of sources: the machine's own stays as it is.
apt_private() {
  apt-get -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" "$@"
}
if ! ls "$work"/cppcheck_*.orig.tar.gz >/dev/null 2>&1; then
  mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n1 | tr -d ' ')
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  echo "deb-src $mirror $release main" >"$work/sources.list"
  apt_private -q update
  (cd "$work" && apt_private -q source --download-only cppcheck)
fi

build() { # name, compiler, flags
  [ -x "$work/$1/cppcheck" ] && return
  mkdir -p "$work/$1"
  tar -xf "$work"/cppcheck_*.orig.tar.gz --strip-components=1 -C "$work/$1"
  make -C "$work/$1" -s -j2 cppcheck CXX="$2" CXXFLAGS="$3" MATCHCOMPILER= FILESDIR=/usr/share/cppcheck
}
build gcc-dwarf5 g++ "-O2 -g"
build gcc-dwarf4 g++ "-O2 -g -gdwarf-4 -fdebug-types-section"
build clang-dwarf5 clang++-19 "-O2 -g"

for tool in . ./compare ./pair ./addresses; do
  name=$(basename "$tool")
  [ "$name" = . ] && name=symbol
  go build -o "$work/bin-$name" "./bench/symbol/$tool"
done

for variant in gcc-dwarf5 gcc-dwarf4 clang-dwarf5; do
  obj=$work/$variant/cppcheck
  echo "== $variant, $(($(stat -c %s "$obj") >> 20)) MB"
  "$work/bin-addresses" -obj "$obj" >"$work/addresses"
  llvm-symbolizer-19 --inlines --no-demangle --obj="$obj" <"$work/addresses" >"$work/theirs"
  "$work/bin-symbol" -raw -obj "$obj" <"$work/addresses" >"$work/ours"
  "$work/bin-compare" "$work/theirs" "$work/ours"
  echo "a: llvm-symbolizer-19 --inlines --demangle; b: whyhot"
  "$work/bin-pair" -rounds "$rounds" -in "$work/addresses" \
    -a "llvm-symbolizer-19 --inlines --demangle --obj=$obj" -b "$work/bin-symbol -obj $obj"
done
