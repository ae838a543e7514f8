#!/usr/bin/env python3
"""What the new source rules pay, edited by hand: pairs.cpp built by g++ and
clang++-19 with -O2 and -O3, both sides of a pair in turn, in random order within a round.

Prints the ratio of medians of CPU time, baseline over variant, with a bootstrap
95 % interval. ROUNDS=15 by default.
"""
import os, random, resource, statistics, subprocess, tempfile

ROUNDS = int(os.environ.get("ROUNDS", "15"))
HERE = os.path.dirname(os.path.abspath(__file__))
RULES = ["constant-container", "value-container", "bit-by-bit", "short-loop", "column-walk", "column-walk-transpose"]


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, capture_output=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def interval(a, b):
    rnd = random.Random(1)
    ratios = sorted(statistics.median(rnd.choices(a, k=len(a))) / statistics.median(rnd.choices(b, k=len(b))) for _ in range(2000))
    return ratios[50], ratios[1949]


with tempfile.TemporaryDirectory() as work:
    for compiler, level in ("g++", "-O2"), ("g++", "-O3"), ("clang++-19", "-O2"), ("clang++-19", "-O3"):
        binary = os.path.join(work, "pairs-" + compiler + level)
        subprocess.run([compiler, level, "-std=c++20", "-o", binary, os.path.join(HERE, "pairs.cpp")], check=True)
        for rule in RULES:
            times, outputs = {"a": [], "b": []}, set()
            for _ in range(ROUNDS):
                for side in random.sample("ab", 2):
                    t, out = cpu([binary, rule, side])
                    times[side].append(t)
                    outputs.add(out)
            assert len(outputs) == 1, (rule, outputs)
            low, high = interval(times["a"], times["b"])
            ratio = statistics.median(times["a"]) / statistics.median(times["b"])
            print(f"{compiler:10} {level} {rule:22} {ratio:5.2f}x ({low:.2f} to {high:.2f})  {statistics.median(times['a']):.2f} s", flush=True)
