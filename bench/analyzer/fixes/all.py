#!/usr/bin/env python3
"""Asks for the fix of every confirmed finding of a build and checks it.

    all.py WHYHOT BUILD_DIR OUT.json [--stores LIST]

Every patch is applied to the sources with all its assumptions vouched for, compiled
with the unit's own command, and scanned again: the finding has to be gone. Then the
sources are put back as they were. What is printed is a line a finding and the counts;
OUT.json has all answers. The machine's time of each call is kept too.
"""
import collections
import json
import os
import re
import shlex
import subprocess
import sys
import time

whyhot, build, out = sys.argv[1:4]
stores = sys.argv[sys.argv.index("--stores") + 1] if "--stores" in sys.argv else "char"
units = json.load(open(os.path.join(build, "compile_commands.json")))


def run(*args):
    start = time.monotonic()
    p = subprocess.run([whyhot, *args], capture_output=True, text=True)
    return p, time.monotonic() - start


def scan(*files):
    p, seconds = run("scan", "-p", build, "--stores", stores, "--json", *files)
    if p.returncode:
        sys.exit(p.stderr)
    return json.loads(p.stdout)["findings"], seconds


def touching(path):
    """The units that a file is part of: itself, or for a header those that name it in their dependencies."""
    own = [u for u in units if os.path.realpath(os.path.join(u["directory"], u["file"])) == os.path.realpath(path)]
    if own:
        return own
    name = os.path.basename(path)
    found = []
    for u in units:
        args = u.get("arguments") or shlex.split(u["command"])
        p = subprocess.run([a for a in args if a not in ("-c",)] + ["-MM", "-o", "/dev/stdout"], cwd=u["directory"], capture_output=True, text=True)
        if name in p.stdout:
            found.append(u)
    return found


def compiles(us):
    for u in us:
        args = u.get("arguments") or shlex.split(u["command"])
        p = subprocess.run(args + ["-fsyntax-only"], cwd=u["directory"], capture_output=True, text=True)
        if p.returncode:
            return p.stderr.strip().splitlines()[0]
    return ""


def promised(f):
    t = f["title"]
    for what in ("vectorised", "library call", "needless store", "needless load", "wider"):
        if what in t:
            return what
    return "?"


def given(effect):
    after = effect.split(" before, ")[-1]
    if "vectorised" in after:
        return "vectorised"
    if "library call" in after or "gone" in after:
        return "library call"
    m = re.match(r"([\d.]+) loads and ([\d.]+) stores per iteration before, ([\d.]+) loads", effect)
    if m:
        return "needless load" if float(m[3]) < float(m[1]) else "?"
    return "?"


findings, seconds = scan()
confirmed = [f for f in findings if f["certainty"] == "confirmed"]
print(f"{len(confirmed)} confirmed of {len(findings)}, scanned in {seconds:.1f} s", flush=True)
rows, counts = [], collections.Counter()
for f in confirmed:
    p, seconds = run("fix", f["id"], "-p", build, "--json")
    row = {"id": f["id"], "place": "%s:%d" % (f["place"]["file"], f["place"]["line"]), "title": f["title"], "steps": f["fix"]["steps"], "seconds": seconds}
    rows.append(row)
    if p.stdout.strip().startswith("{"):
        a = json.loads(p.stdout)
        row |= {k: a.get(k) for k in ("kind", "what", "applicable", "effect", "refusals", "assumptions")}
    else:
        row["error"] = p.stderr.strip()
    if row.get("applicable"):
        changed = {}
        for line in a["diff"].splitlines():
            if line.startswith("--- "):
                path = line[4:].split("\t")[0]
                path = path[2:] if path.startswith("a/") else path
                changed[path] = open(path, "rb").read()
        n = len(a["assumptions"])
        q, _ = run("fix", f["id"], "-p", build, "--apply", *(["--assume", ",".join(str(i + 1) for i in range(n))] if n else []))
        try:
            if q.returncode:
                row["verdict"] = "not applied: " + q.stderr.strip().splitlines()[-1]
            else:
                us = touching(f["place"]["file"])
                row["compiles"] = compiles(us)
                again, _ = scan(*sorted({os.path.join(u["directory"], u["file"]) for u in us}))
                left = [g for g in again if g["id"] == f["id"] and g["certainty"] == "confirmed"]
                same = promised(f) == given(row["effect"])
                row["gone"], row["as_promised"] = not left, same
                row["verdict"] = "does not compile" if row["compiles"] else "finding stays" if left else "gone" if same else "gone, but the title says " + promised(f)
        finally:
            for path, text in changed.items():
                open(path, "wb").write(text)
    else:
        row["verdict"] = "refused" if "refusals" in row else "nothing found" if "nothing there" in row["error"] else "no patch"
    counts[row["verdict"]] += 1
    why = row.get("effect") if row.get("applicable") else "; ".join(r["text"] for r in row.get("refusals", [])) or row.get("error", "")
    print(f"{row['verdict']:14} {os.path.relpath(row['place'])} {seconds:.1f} s  [{f['title']}]  {row.get('kind', '')}: {why}", flush=True)
    json.dump(rows, open(out, "w"), indent=1)
print(dict(counts))
