#!/bin/sh
# The eBPF sampler against perf: the truth of stacks, what recording costs the
# program, what the agent takes, also where processes start all the time, and what the collector itself costs.
#   bench/collect/run.sh [truth|overhead|agent|starts|collector] ...
# Needs root, perf and g++. Without arguments it does all five (30 minutes, quiet ones).
set -eu
cd "$(dirname "$0")/../.."
[ -n "${WHYHOT:-}" ] || { make -s build; WHYHOT=bin/whyhot; }
mkdir -p build/bench/collect
work=build/bench/collect/work
g++ -O2 -g -fomit-frame-pointer -pthread -o "$work" bench/collect/work.cpp
exec python3 bench/collect/collect.py "$WHYHOT" "$work" "$@"
