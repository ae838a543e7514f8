"""Rows are appended and joined once."""
import sys


def rows(n):
    found = []
    for i in range(n):
        found.append(f"row {i}")
        found += [str(i)]
    return "".join(found)


print(len(rows(int(sys.argv[1]))))
