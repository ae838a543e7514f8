"""Rows are collected with list + list."""
import sys


def rows(n):
    found = []
    for i in range(n):
        found = found + [(i, f"row {i}")]  # WASTE
    return found


print(len(rows(int(sys.argv[1]))))
