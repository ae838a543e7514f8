#!/usr/bin/env python3
"""Lists every confirmed finding of a package: confirmed.py DIR PACKAGE.

Scans DIR/PACKAGE-build (sources.sh) with every predicate and prints a table for
confirmed-PACKAGE.md. The judgement beside a finding comes from
judgements/PACKAGE.tsv: file, line of the loop, one word, why. What nobody judged
is left empty. SCAN names a finding report to read in place of a scan.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WHYHOT = os.environ.get("WHYHOT", os.path.join(HERE, "../../bin/whyhot"))


def judgements(package):
    out = {}
    path = os.path.join(HERE, "judgements", package + ".tsv")
    if os.path.exists(path):
        for row in open(path, encoding="utf-8"):
            if row.strip() and not row.startswith("#"):
                file, line, word, why = row.rstrip("\n").split("\t")
                out[file, int(line)] = (word, why)
    return out


def state(world):
    if world["fate"] in ("vectorised", "unrolled", "scalar"):
        loads = f"{world.get('loads', 0):.3g} loads"
        return loads if world["fate"] == "scalar" else f"{world['fate']}, {loads}"
    return world["fate"]


def main():
    directory, package = os.path.realpath(sys.argv[1]), sys.argv[2]
    if os.environ.get("SCAN"):
        report = json.load(open(os.environ["SCAN"]))
    else:
        report = json.loads(subprocess.run([WHYHOT, "scan", "-p", os.path.join(directory, package + "-build"), "--json",
                                            "--stores", "char,bitfield,pointer,size,volatile"], capture_output=True, check=True).stdout)
    judged = judgements(package)
    tree = os.path.realpath(os.path.join(directory, package))
    rows = [f for f in report["findings"] if f["certainty"] == "confirmed"]
    words = {}
    print("| | loop | function | rule | as written | best edit | judged |\n|---|---|---|---|---|---|---|")
    for n, f in enumerate(rows, 1):
        place = f["place"]
        file = os.path.relpath(place["file"], tree)
        word, why = judged.get((file, place["line"]), ("", ""))
        words[word or "not judged"] = words.get(word or "not judged", 0) + 1
        worlds = f["worlds"]
        reached = [w for w in worlds if w.get("reached")]
        best = min(reached, key=lambda w: (w["fate"] != "library call", w.get("loads") or 0))
        print(f"| {n} | {file}:{place['line']} | `{place.get('function', '').split('(')[0]}` | {f['rule']} | {state(worlds[0])} | "
              f"{best['name']}: {state(best)} | {word}{': ' + why if why else ''} |")
    print(f"\n{len(rows)} confirmed: " + ", ".join(f"{n} {w}" for w, n in sorted(words.items(), key=lambda x: -x[1])) + ".")
    lost = [n for n in report.get("notes", []) if "died" in n or "compile" in n]
    for note in lost:
        print(f"\nNote of the scan: {note}")


if __name__ == "__main__":
    main()
