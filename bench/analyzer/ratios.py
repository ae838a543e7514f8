#!/usr/bin/env python3
"""Reads "label arm nanoseconds" lines on standard input and prints, for every
label, the median of the first arm and the ratio first / other of each other arm:
ratio of medians with a bootstrap 95 % interval. Arms are taken round by round."""
import random
import statistics
import sys


def interval(base, other, rnd):
    rounds = range(min(len(base), len(other)))
    ratios = sorted(
        statistics.median(base[i] for i in pick) / statistics.median(other[i] for i in pick)
        for pick in (rnd.choices(rounds, k=len(rounds)) for _ in range(1000))
    )
    return ratios[25], ratios[974]


def main():
    samples = {}
    for line in sys.stdin:
        label, arm, ns = line.rstrip("\n").split("\t")
        samples.setdefault(label, {}).setdefault(arm, []).append(float(ns))
    rnd = random.Random(1)
    for label, arms in samples.items():
        names = sorted(arms, key=lambda a: (a != "written", a))
        base = arms[names[0]]
        for name in names[1:]:
            low, high = interval(base, arms[name], rnd)
            ratio = statistics.median(base) / statistics.median(arms[name])
            print(f"| {label} | {name} | {statistics.median(base):.0f} ns | {ratio:.2f}× | {low:.2f} … {high:.2f} |")


if __name__ == "__main__":
    main()
