#!/bin/sh
# Applies machine-written fixes to woff2 (Debian source package), builds it, and
# holds what it writes against the unchanged build.
#   run.sh SOURCE_DIR WORK_DIR FONT.ttf
# whyhot and whyhot-analyzer are taken from PATH.
set -eu
source=$(realpath "$1") font=$(realpath "$3")
mkdir -p "$2"
work=$(realpath "$2")
for side in plain fixed; do
  rm -rf "${work:?}/$side"
  cp -r "$source" "$work/$side"
  cd "$work/$side"
  cmake -G Ninja -S . -B b -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > cmake.log
  if [ $side = fixed ]; then
    whyhot fix src/glyph.cc:118 --kind hoist -p b --apply
    whyhot fix src/store_bytes.h:22 --kind wide-store -p b --apply
  fi
  ninja -C b woff2_compress woff2_decompress > build.log
  cp "$font" font.ttf
  LD_LIBRARY_PATH=b b/woff2_compress font.ttf
  LD_LIBRARY_PATH=b b/woff2_decompress font.woff2
done
cmp "$work/plain/font.woff2" "$work/fixed/font.woff2"
cmp "$work/plain/font.ttf" "$work/fixed/font.ttf"
echo "both builds write the same bytes"
