#!/usr/bin/env python3
"""The control group: do the worlds change loops that are no candidates?

control.py DIR [PREDICATE…] follows every loop of the functions that hold a
blamed store, in every N-th unit (EVERY, 6) of each package in DIR (sources.sh),
and counts the loops without a repeated load, nor a loop in them that has one, for
which an edited world is confirmed, and those for which it differs at all from the
code as written and from the placebo: half a load an iteration more or less, or
vectorised or not.
"""
import json
import os
import subprocess
import sys

from check import ANALYZER, arguments

EVERY = int(os.environ.get("EVERY", "6"))


def changed(worlds, world):
    written, placebo, edited = worlds["written"], worlds["placebo"], worlds.get(world)
    if edited is None or not (written["present"] and placebo["present"]):
        return False
    if edited["idiom"]:
        return True
    if not edited["present"]:
        return False
    if edited["vectorised"] != written["vectorised"] and edited["vectorised"] != placebo["vectorised"]:
        return True
    if edited["vectorised"]:
        return False
    differences = [abs(edited["loads_per_iteration"] - w["loads_per_iteration"]) for w in (written, placebo)]
    return min(differences) >= 0.5


def main():
    directory = os.path.realpath(sys.argv[1])
    predicates = sys.argv[2:] or ["char", "pointer", "size"]
    print("| package | units | loops that are no candidates | compared in both | confirmed | changed at all |\n|---|---|---|---|---|---|")
    total = [0, 0, 0, 0]
    for package in ("exiv2", "openjpeg2", "poppler"):
        units = json.load(open(os.path.join(directory, package + "-build", "compile_commands.json")))
        units = list({u["file"]: u for u in units}.values())[::EVERY]
        requests = "".join(json.dumps({"version": 1, "directory": u["directory"], "arguments": arguments(u), "predicates": predicates,
                                       "every_loop": True}) + "\n" for u in units)
        out = subprocess.run([ANALYZER], input=requests, text=True, capture_output=True, check=True).stdout
        loops = compared = confirmed = different = 0
        for line, unit in zip(out.splitlines(), units):
            found = json.loads(line)["candidates"]
            key = lambda c, chain: (c["predicate"], c["function"], json.dumps(chain))
            around = {key(c, start) for c in found if c["loads"] for start in c["enclosing"]}
            for c in found:
                if c["loads"] or key(c, c["start"]) in around:
                    continue
                loops += 1
                compared += c["worlds"]["written"]["present"] and c["worlds"]["placebo"]["present"]
                confirmed += c["confirmed"]
                if any(changed(c["worlds"], w) for w in ("retyped", "hoisted")):
                    different += 1
                    at = c["start"][0] if c["start"] else {"file": "?", "line": 0}
                    print(f"control.py: {c['predicate']} {at['file']}:{at['line']} in {c['function']}", file=sys.stderr)
        print(f"| {package} | {len(units)} | {loops} | {compared} | {confirmed} | {different} |", flush=True)
        total = [a + b for a, b in zip(total, (loops, compared, confirmed, different))]
    print(f"| all | | {total[0]} | {total[1]} | {total[2]} ({100 * total[2] / max(1, total[1]):.2f} %) | {total[3]} ({100 * total[3] / max(1, total[1]):.2f} %) |")


if __name__ == "__main__":
    sys.exit(main())
