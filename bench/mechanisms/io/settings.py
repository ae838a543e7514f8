"""Prices orders by settings that are looked for on disk for each order; "mend" asks once."""
import json
import os
import sys

PATH = "/tmp/mech-settings.json"


def changed():
    return os.stat(PATH).st_mtime_ns


def rate(order, seen):
    if seen.get("at") != changed():
        with open(PATH) as f:
            seen["rates"] = json.load(f)
        seen["at"] = changed()
    return seen["rates"][order % 3]


def total(n):
    seen, out = {}, 0
    for order in range(n):
        out += rate(order, seen)
    return out


def total_once(n):
    seen, out = {}, 0
    rate(0, seen)
    rates = seen["rates"]
    for order in range(n):
        out += rates[order % 3]
    return out


with open(PATH, "w") as f:
    json.dump([3, 5, 8], f)
print((total_once if sys.argv[1] == "mend" else total)(int(sys.argv[2])))
