#!/usr/bin/env python3
"""Dates by strptime and by what the entry python-strptime proposes, in turn.

Prints the median ratio with the smallest and the largest of the rounds.
"""
import statistics
import timeit
from datetime import datetime

MONTHS = {m: i + 1 for i, m in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split())}
LOG = "10/Oct/2000:13:55:36"
ISO = "2000-10-10T13:55:36"


def log_strptime():
    return datetime.strptime(LOG, "%d/%b/%Y:%H:%M:%S")


def log_columns():
    s = LOG
    return datetime(int(s[7:11]), MONTHS[s[3:6]], int(s[0:2]), int(s[12:14]), int(s[15:17]), int(s[18:20]))


def iso_strptime():
    return datetime.strptime(ISO, "%Y-%m-%dT%H:%M:%S")


def iso_builtin():
    return datetime.fromisoformat(ISO)


for name, baseline, variant in ("columns", log_strptime, log_columns), ("fromisoformat", iso_strptime, iso_builtin):
    assert baseline() == variant()
    ratios = [timeit.timeit(baseline, number=20000) / timeit.timeit(variant, number=20000) for _ in range(9)]
    print(f"{name}: {statistics.median(ratios):.1f}x ({min(ratios):.1f} to {max(ratios):.1f})")
