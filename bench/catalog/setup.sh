#!/bin/bash
# Prepares what baselines.py compares, below one directory: setup.sh DIR. Nothing is
# installed: Debian packages are unpacked into DIR/root, Python packages go into a
# virtual environment, those of Node.js into DIR/node, programs into DIR/bin.
# Needs: apt-get, dpkg, g++, go, cargo, javac, mvn, node, npm, python3 with venv.
set -euo pipefail
base=$(realpath -m "${1:?setup.sh DIR}")
here=$(dirname "$(realpath "$0")")/programs
mkdir -p "$base"/{debs/partial,root,node,bin/java}

apt-get install -y -d --no-install-recommends -o Debug::NoLocking=1 -o Dir::Cache::archives="$base/debs" \
  lua5.4 luajit libre2-dev libsimdjson-dev nlohmann-json3-dev rapidjson-dev libabsl-dev libpugixml-dev libyaml-cpp-dev \
  libxxhash-dev libvectorscan-dev libsnappy-dev liblz4-dev libdeflate-dev libjsoncpp-dev libjansson-dev libboost1.74-dev \
  libfftw3-dev libkissfft-dev libpcre2-dev libzstd-dev libpng-dev ruby-oj php-igbinary libblas3 libopenblas0-pthread mold \
  libvips-tools imagemagick pigz libdeflate-tools ripgrep libeigen3-dev libfftw3-double3 libboost-serialization1.74-dev
for deb in "$base"/debs/*.deb; do dpkg -x "$deb" "$base/root"; done
libs=$base/root/usr/lib/x86_64-linux-gnu
# development links to libraries that are installed already
find "$libs" -maxdepth 1 -xtype l | while read -r link; do
  target=/usr/lib/x86_64-linux-gnu/$(basename "$(readlink "$link")")
  if [ -e "$target" ]; then ln -sf "$target" "$link"; fi
done

python3 -m venv "$base/python"
"$base/python/bin/pip" install -q beautifulsoup4 lxml python-dateutil rapidfuzz isal zlib-ng jsonschema fastjsonschema networkx \
  rustworkx openpyxl python-calamine pillow pydantic marshmallow msgspec simplejson orjson toml pandas uvloop redis hiredis \
  pyyaml jinja2 google-re2 sqlalchemy
(cd "$base/node" && npm init -y >/dev/null && npm install --silent express fastify winston pino moment dayjs crypto-js uuid lodash \
  rfdc fast-deep-equal fast-json-stringify jimp sharp terser esbuild handlebars undici)

cxx=(g++ -w -g1 -std=c++20 -pthread)
"${cxx[@]}" -O2 -o "$base/bin/pairs" "$here/pairs.cpp" -lz
"${cxx[@]}" -O2 -o "$base/bin/native" "$here/native.cpp"
"${cxx[@]}" -O0 -o "$base/bin/native-O0" "$here/native.cpp"
"${cxx[@]}" -O3 -o "$base/bin/native-O2" "$here/native.cpp"
"${cxx[@]}" -O3 -ffast-math -mavx2 -o "$base/bin/native-fast" "$here/native.cpp"
"${cxx[@]}" -O2 -fsanitize=address -o "$base/bin/native-asan" "$here/native.cpp"
"${cxx[@]}" -O2 -fprofile-generate -fprofile-update=atomic -o "$base/bin/native-pgo" "$here/native.cpp"
"$base/bin/native-pgo" priority-queue >/dev/null
"${cxx[@]}" -O2 -fprofile-use -Wno-missing-profile -o "$base/bin/native-pgo" "$here/native.cpp"
"${cxx[@]}" -O2 -I"$base/root/usr/include" -I"$base/root/usr/include/x86_64-linux-gnu" -I"$base/root/usr/include/jsoncpp" \
  -I/usr/include/libxml2 -o "$base/bin/libraries" "$here/libraries.cpp" -L"$libs" -Wl,-rpath,"$libs" -Wl,--allow-shlib-undefined \
  -lre2 -labsl_raw_hash_set -labsl_hash -labsl_city -labsl_low_level_hash -labsl_hashtablez_sampler -labsl_throw_delegate \
  -labsl_raw_logging_internal -lfftw3f -lhs -ljansson -ljsoncpp -lkissfft-float -ldeflate -lxml2 -llz4 -lcrypto -lpng16 \
  -lpcre2-8 -lpugixml -lsimdjson -lsnappy -lsqlite3 -lyaml-cpp -lz -lzstd
"${cxx[@]}" -O2 -I"$base/root/usr/include" -o "$base/bin/tasks" "$here/tasks.cpp" -L"$libs" -Wl,-rpath,"$libs" -Wl,--allow-shlib-undefined \
  -lre2 -labsl_raw_hash_set -labsl_hash -labsl_city -labsl_low_level_hash -labsl_hashtablez_sampler -labsl_throw_delegate
"${cxx[@]}" -O2 -o "$base/bin/blas" "$here/blas.cpp" "$libs/blas/libblas.so.3" -Wl,--allow-shlib-undefined
(cd "$here/go" && go build -o "$base/bin/go-pairs" . && "$base/bin/go-pairs" profile "$base/bin/go.pprof" json 8 >/dev/null &&
  go build -pgo="$base/bin/go.pprof" -o "$base/bin/go-pairs-pgo" .)
(cd "$here/rust" && CARGO_TARGET_DIR="$base/cargo" cargo build --release --quiet && cp "$base/cargo/release/pairs" "$base/bin/rust-pairs")
mvn -q -f "$here/java/pom.xml" dependency:copy-dependencies -DoutputDirectory="$base/java-jars"
javac -nowarn -cp "$base/java-jars/*" -d "$base/bin/java" "$here/java/Pairs.java" "$here/java/Libraries.java"
(cd "$here/go-libraries" && go build -o "$base/bin/go-libraries" .)
mvn -q -f "$here/java-libraries/pom.xml" dependency:copy-dependencies -DoutputDirectory="$base/ecosystem-jars"
javac -nowarn -cp "$base/ecosystem-jars/*" -d "$base/bin/ecosystem" "$here/java-libraries/Ecosystem.java" "$here/java-libraries/Sides.java"
for v in ":-O2" "-O0:-O0" "-native:-O2 -mavx2 -mfma"; do
  # C++17: uBLAS of Boost 1.74 does not compile as C++20
  read -ra flags <<<"${v#*:}"
  g++ -w -g1 -std=c++17 -pthread "${flags[@]}" -I"$base/root/usr/include" -I"$base/root/usr/include/eigen3" -o "$base/bin/habits${v%%:*}" "$here/habits.cpp" \
    -L"$libs" -Wl,-rpath,"$libs" -lfftw3 -lboost_serialization -Wl,--allow-shlib-undefined
done
