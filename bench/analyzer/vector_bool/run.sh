#!/bin/sh
# Finds, patches and measures the std::vector<bool> of a QR code generator:
#   run.sh CPP_DIR WORK_DIR
# CPP_DIR is the directory cpp of nayuki's QR-Code-generator, tag v1.6.0. whyhot and
# whyhot-analyzer are taken from PATH. Needs g++, make and python3.
set -eu
here=$(realpath "$(dirname "$0")")
mkdir -p "$2"
rm -rf "$2/cpp"
cp -r "$1" "$2/cpp"
cd "$2/cpp"
flags='CXXFLAGS=-std=c++11 -O2 -g'
# What whyhot names first is a flush after every number that is written. It is
# mended, or most of the time would be the kernel's.
sed -i "s/<< std::endl/<< '\\\\n'/" QrCodeGeneratorWorker.cpp
make -s "$flags"
"$here/../../../scripts/compile-commands" . -B "$flags"
python3 "$here/requests.py" 400 > requests.txt
./QrCodeGeneratorDemo | md5sum > demo.md5
run='sh -c "./QrCodeGeneratorWorker < requests.txt"'
whyhot record -o ../qr.pb.gz -- sh -c './QrCodeGeneratorWorker < requests.txt' > /dev/null
whyhot explain ../qr.pb.gz -p .
id=$(whyhot explain ../qr.pb.gz -p . --json | grep -o 'vector-bool-[0-9a-f]*' | head -1)
whyhot fix "$id" --profile ../qr.pb.gz -p .
whyhot try build --metric cpu --budget 4m --profile ../qr.pb.gz -p . --fix "$id" \
  --build "make clean && make '$flags'" --check './QrCodeGeneratorDemo | md5sum | cmp - demo.md5' --run "$run"
whyhot explain ../qr.pb.gz -p .
