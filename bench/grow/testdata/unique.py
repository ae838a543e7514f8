"""Keeps the first of equal records, looking each up in a list."""
import sys


def records(n):
    x = 1
    for _ in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        yield f"record-{x}"


def unique(items):
    seen = []
    for item in items:
        if item not in seen:  # GROWS
            seen.append(item)
    return seen


def checksum(items):
    total = 0
    for item in items:
        for c in item:
            total = (total * 31 + ord(c)) % 1000003
    return total


items = unique(records(int(sys.argv[1])))
print(len(items), checksum(items))
