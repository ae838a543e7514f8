#!/usr/bin/env python3
"""Measures the pairs behind the catalogue, and keeps what estimates are held against:
baselines.py --base DIR [--only TEXT] [--again] [GROUP…], or baselines.py --shares.

DIR is what setup.sh filled. Each pair of pairs.py, tasks.py, libraries.py and programs.py is measured
(run.py) unless catalog/trials.json has it, and its baseline is recorded (as root: the
eBPF sampler) to profiles/: as often in turn as SECONDS need, so that the tables for
unwinding are there for most of it. pairs.json says which profile a pair has. --shares
explains all profiles anew, as after a change of the catalogue, and writes to the trials
which share their entry has and what its fix can reach.
"""
import argparse
import fcntl
import json
import math
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

import ecosystems
import libraries
import pairs
import programs
import run
import tasks

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "pairs.json")
PROFILES = os.path.join(HERE, "profiles")
SECONDS = 2.5
GROUPS = {**pairs.GROUPS, "tasks": tasks.pairs, "rows": libraries.pairs, "programs": programs.pairs, "ecosystems": ecosystems.pairs}


def name(pair):
    """Of a profile: pairs with the same baseline share one."""
    return re.sub(r"[^\w.]+", "-", f"{pair.entry} {pair.workload} {pair.baseline.what.split(',')[0]}").strip("-").lower() + ".pb.gz"


def record(side, seconds, out):
    times = max(1, math.ceil(SECONDS / max(0.05, seconds)))
    again = f"for i in $(seq {times}); do {shlex.join(side.command)}; done"
    subprocess.run([run.WHYHOT, "record", "-F", "499", "-o", out, "--", "sh", "-c", again], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   stdin=subprocess.DEVNULL, env={**os.environ, **side.env}, check=True)


KEY = ("entry", "workload", "baseline", "variant")


def with_share(result, profile):
    return without_share(result) | run.explained(profile, result["entry"])


def without_share(result):
    return {k: v for k, v in result.items() if k not in ("share", "reach")}


def shares():
    told, results = {}, {run.key(r): r for r in run.known()}
    for k, row in read().items():
        at = (row["entry"], row["profile"])
        if at not in told:
            told[at] = run.explained(os.path.join(PROFILES, row["profile"]), row["entry"])
        results[k] = without_share(results[k]) | told[at]
    run.write(list(results.values()))


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--base", help="the directory that setup.sh filled")
    ask.add_argument("--only", default="")
    ask.add_argument("--again", action="store_true", help="measure and record also what was")
    ask.add_argument("--shares", action="store_true", help="run nothing: explain the profiles that are kept")
    ask.add_argument("--rounds", type=int, default=5)
    ask.add_argument("group", nargs="*", choices=[[], *GROUPS])
    args = ask.parse_args()
    if args.shares:
        return shares()
    if not args.base:
        ask.error("--base is missing")
    os.makedirs(PROFILES, exist_ok=True)
    known = {run.key(r): r for r in run.known()}
    rnd = random.Random(7)
    with tempfile.TemporaryDirectory(prefix="whyhot-bench-") as work:
        w = pairs.Where(os.path.abspath(args.base), work)
        run.inputs(w)
        tasks.inputs(w)
        programs.inputs(w)
        for group in args.group or GROUPS:
            for pair in GROUPS[group](w):
                if args.only not in pair.entry:
                    continue
                k = (pair.entry, pair.workload, pair.baseline.what, pair.variant.what)
                profile = os.path.join(PROFILES, name(pair))
                try:
                    result = known.get(k)
                    if result is None or args.again:
                        result = run.measure(pair, w, args.rounds, rnd)
                    if args.again or not os.path.exists(profile):
                        record(pair.baseline, result["seconds"], profile)
                except (OSError, subprocess.CalledProcessError) as err:
                    print(f"{pair.entry}: {pair.workload}: skipped: {err}", file=sys.stderr, flush=True)
                    continue
                run.add(with_share(result, profile))
                add({"group": group, **dict(zip(KEY, k)), "profile": name(pair)})
                print(f"{pair.entry}: {pair.workload}: {pair.variant.what}: {result['ratio']:.2f}×", flush=True)


def read():
    if not os.path.exists(FILE):
        return {}
    with open(FILE) as f:
        return {run.key(r): r for r in json.load(f)["pairs"]}


def add(row):
    """Several runs may add at the same time."""
    with open(__file__) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = read() | {run.key(row): row}
        rows = ",\n".join("  " + json.dumps(r, ensure_ascii=False) for _, r in sorted(kept.items()))
        with open(FILE + ".new", "w") as f:
            f.write('{"pairs": [\n' + rows + "\n]}\n")
        os.replace(FILE + ".new", FILE)


if __name__ == "__main__":
    main()
