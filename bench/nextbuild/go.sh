#!/bin/bash
# What an exported profile gives a Go program: esbuild, from the module cache, built
# without a profile, with whyhot's export and with what Go's own sampler wrote of the same
# training. The training's sources are not the measured ones.
#   bench/nextbuild/go.sh WORK_DIR
set -euo pipefail
work=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
root=$PWD
make -s build
whyhot=$root/bin/whyhot
if [ ! -d "$work/esbuild" ]; then
  cp -r "$(go list -m -f '{{.Dir}}' github.com/evanw/esbuild)" "$work/esbuild"
  chmod -R u+w "$work/esbuild"
fi
cd "$work/esbuild"
mkdir -p train measured
for i in $(seq 20); do
  cp scripts/js-api-tests.js "train/a$i.js"
  cp lib/shared/common.ts "train/b$i.ts"
  [ "$i" -gt 8 ] || cp scripts/end-to-end-tests.js "measured/c$i.js"
done
build() { go build -pgo="$1" -o "$2" ./cmd/esbuild; }
build off plain
# A process of half a second is too short for a profile: the training is repeated.
"$whyhot" record -o train.pb.gz -- sh -c 'for i in $(seq 40); do ./plain --minify --outdir=out.train --log-level=error train/*; done'
"$whyhot" profile export --format go-pgo train.pb.gz --binary plain -o export.pgo
# With this flag, esbuild repeats the build for half a minute.
./plain --cpuprofile=runtime.pgo --minify --outdir=out.train --log-level=error train/*
build "$PWD/export.pgo" exported
build "$PWD/runtime.pgo" runtimes
args='--minify --outdir=out --log-level=error measured/*'
"$whyhot" try --metric "${METRIC:-cpu}" --budget "${BUDGET:-3m}" --output out/c1.js \
  --versus "export=sh -c './exported $args'" --versus "runtime=sh -c './runtimes $args'" -- sh -c "./plain $args"
