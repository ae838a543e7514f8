#!/bin/sh
# Writes a compile_commands.json of a make-built tree from what make would run:
# database.sh DIR [MAKE_ARGUMENT…]. Nothing is built.
set -eu
cd "$1"
shift
make -n "$@" | awk -v dir="$PWD" '
  / -c / && /\.(c|cc|cpp|cxx)"?$/ {
    gsub(/\\/, "\\\\"); gsub(/"/, "\\\"")
    printf "%s{\"directory\": \"%s\", \"file\": \"%s\", \"command\": \"%s\"}", (n++ ? ",\n" : "[\n"), dir, $NF, $0
  }
  END { if (!n) exit 1; print "\n]" }' > compile_commands.json.tmp
mv compile_commands.json.tmp compile_commands.json
