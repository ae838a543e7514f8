#!/usr/bin/env bash
# The whole story on a real program, qpdf, from its Debian source package: what
# `whyhot explain` finds, and what the steps bring, one after the other and
# together, all by whyhot.
# usage: bench/trial/story/run.sh DIRECTORY   sources, builds and results go there
# Wants clang-19, lld-19, cmake, ninja-build, libjpeg62-turbo-dev, zlib1g-dev,
# libmimalloc2.0, python3, and the analyser (make analyzer). BUDGET (8m) is for the
# suite, ALONE (2m) for each step by itself, METRIC (cpu) decides.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
[ $# -eq 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
mkdir -p "$1"
work=$(cd "$1" && pwd)
whyhot=$root/bin/whyhot
export XDG_STATE_HOME=$work/state # the archive of trials is not for benchmarks

tree=$("$root/scripts/deb-source" qpdf "$work")
cd "$tree"
if ! [ -e build/qpdf/qpdf ]; then
  cmake -G Ninja -S . -B build -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    -DUSE_IMPLICIT_CRYPTO=OFF -DREQUIRE_CRYPTO_NATIVE=ON -DBUILD_STATIC_LIBS=OFF -DBUILD_DOC=OFF > "$work/configure.log"
  ninja -C build qpdf > "$work/build.log"
fi

# The inputs: seed 1 is measured, seed 2 trains: the same kinds of files with other
# contents.
mkdir -p story
cp "$here"/story.yaml "$here"/loops.diff story
for set in 'measured 1' 'training 2'; do
  dir=story/${set% *}
  python3 "$here/inputs.py" "$dir" "${set#* }"
  build/qpdf/qpdf --static-id --object-streams=generate "$dir/report.pdf" "$dir/packed.pdf"
  build/qpdf/qpdf --static-id --allow-weak-crypto --encrypt '' owner 128 --use-aes=n -- "$dir/photo.pdf" "$dir/rc4.pdf"
  build/qpdf/qpdf --static-id --static-aes-iv --encrypt '' owner 256 -- "$dir/report.pdf" "$dir/aes.pdf"
done
# The commands of the suite, as a shell reads them.
sed -n "s|.*command: '{qpdf} \(.*\)'}|build/qpdf/qpdf --static-id \1|p" story/story.yaml > "$work/commands"
sed -E 's|measured/|story/measured/|' "$work/commands" | sed 's|$| > /dev/null|' > "$work/measured.sh"
sed -E 's|measured/|story/training/|' "$work/commands" | sed 's|$| > /dev/null|' > story/training.sh

echo "== 1. what explain finds, command by command"
n=0
while read -r command; do
  n=$((n + 1))
  "$whyhot" record -F 999 -o "$work/$n.pb.gz" -- sh -c "$command; $command; $command" 2> "$work/record.log"
  echo "-- $command"
  "$whyhot" explain "$work/$n.pb.gz" -p build > "$work/explain-$n.txt"
  "$whyhot" explain "$work/$n.pb.gz" --all > "$work/all-$n.txt" # the build, too
  cat "$work/explain-$n.txt"
  grep -A 2 'Profile-guided' "$work/all-$n.txt" || true
done < "$work/measured.sh"

echo "== 2. one step after the other"
alone=(--budget "${ALONE:-2m}" --metric "${METRIC:-cpu}")
"$whyhot" try "${alone[@]}" --preload mimalloc -- sh "$work/measured.sh"
"$whyhot" try "${alone[@]}" --build 'ninja -C build qpdf' --patch story/loops.diff -- sh "$work/measured.sh"
"$whyhot" try "${alone[@]}" --build 'ninja -C build qpdf' --pgo --lto --train 'sh story/training.sh' -- sh "$work/measured.sh"

echo "== 3. the suite, step upon step"
"$whyhot" try suite story/story.yaml --build 'ninja -C build qpdf' --train 'sh story/training.sh' \
  --budget "${BUDGET:-8m}" --metric "${METRIC:-cpu}" --svg "$work/story.svg" --html "$work/story.html"
