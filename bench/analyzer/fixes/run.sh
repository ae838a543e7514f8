#!/bin/sh
# Applies machine-written fixes to Debian source packages, builds them with and
# without, and runs their tests, or holds what they write against each other.
#   run.sh WORK_DIR FONT.ttf [PACKAGE...]   (woff2, libjsoncpp, glslang)
# whyhot and whyhot-analyzer are taken from PATH. Needs cmake, ninja, python3,
# libbrotli-dev and libjemalloc-dev.
set -eu
font=$(realpath "$2")
mkdir -p "$1"
work=$(realpath "$1")
deb_source=$(realpath "$(dirname "$0")/../../../scripts/deb-source")
shift 2
[ $# -gt 0 ] || set -- woff2 libjsoncpp glslang

# trees PACKAGE: copies of its source, "plain" and "fixed", and both configured.
trees() {
  source=$("$deb_source" "$1" "$work/sources")
  mkdir -p "$work/$1"
  for side in plain fixed; do
    rm -rf "${work:?}/$1/$side"
    cp -r "$source" "$work/$1/$side"
    cmake -G Ninja -S "$work/$1/$side" -B "$work/$1/$side/b" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > "$work/$1/$side.cmake.log"
  done
}

fix() { # KIND PLACE
  echo "$1 $2"
  whyhot fix "$2" --kind "$1" -p b --apply > /dev/null
}

try_woff2() {
  trees woff2
  cd "$work/woff2/fixed"
  fix hoist src/glyph.cc:118
  fix wide-store src/store_bytes.h:22
  for side in plain fixed; do
    cd "$work/woff2/$side"
    ninja -C b woff2_compress woff2_decompress > build.log
    cp "$font" font.ttf
    LD_LIBRARY_PATH=b b/woff2_compress font.ttf
    LD_LIBRARY_PATH=b b/woff2_decompress font.woff2
  done
  cmp "$work/woff2/plain/font.woff2" "$work/woff2/fixed/font.woff2"
  cmp "$work/woff2/plain/font.ttf" "$work/woff2/fixed/font.ttf"
  echo "woff2: both builds write the same bytes"
}

try_libjsoncpp() {
  trees libjsoncpp
  cd "$work/libjsoncpp/plain"
  ninja -C b > build.log
  ctest --test-dir b
  # A profile of the unchanged program asks for the allocator.
  python3 -c 'import json
print(json.dumps([{"k%d" % i: [i / 7, str(i) * 5, {"a": i}]} for i in range(150000)]))' > big.json
  whyhot record -o cpu.pb.gz -- b/bin/jsontestrunner_exe big.json > /dev/null
  finding=$(whyhot explain cpu.pb.gz --json | grep -o 'glibc-malloc-[0-9a-f]*' | head -n 1)
  cd "$work/libjsoncpp/fixed"
  fix bit-field src/lib_json/json_writer.cpp:909
  fix bit-field src/lib_json/json_writer.cpp:910
  fix bit-field include/json/writer.h:339
  fix bit-field include/json/value.h:631
  whyhot fix "$finding" --profile "$work/libjsoncpp/plain/cpu.pb.gz" --library jemalloc --apply > /dev/null
  ninja -C b > build.log
  ldd b/bin/jsontestrunner_exe | grep jemalloc
  ctest --test-dir b
}

try_glslang() {
  trees glslang
  cd "$work/glslang/fixed"
  fix vector-bool SPIRV/SPVRemapper.cpp:1187
  fix vector-bool glslang/MachineIndependent/SymbolTable.cpp:432
  fix vector-bool glslang/MachineIndependent/linkValidate.cpp:1494
  for side in plain fixed; do
    cd "$work/glslang/$side"
    ninja -C b > build.log
    (cd Test && ./runtests "$work/glslang/$side/results" ../b/StandAlone/glslangValidator ../b/StandAlone/spirv-remap) > tests.log ||
      { tail "$work/glslang/$side/tests.log"; exit 1; }
    tail -n 1 tests.log
  done
}

for package; do
  "try_$package"
done
