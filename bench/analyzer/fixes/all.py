#!/usr/bin/env python3
"""Asks for the fix of every confirmed finding of a build and checks it.

    all.py WHYHOT BUILD_DIR OUT.json [--stores LIST] [--only REGEX] [--listed]

--listed leaves out what a scan without a profile folds.

All patches are applied together, with all their assumptions vouched for. The units that
they touch are compiled with their own commands and scanned again: each finding that was
fixed has to be gone, under its id, which has to be the same where lines moved. Then the
sources are put back. What is printed is a line a finding and the counts; OUT.json has
the answers and the wall time of each call.
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
only = re.compile(sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else "")
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
listed = "--listed" in sys.argv
confirmed = [f for f in findings if f["certainty"] == "confirmed" and only.search(f["place"]["file"]) and not (listed and f.get("minor"))]
print(f"{len(confirmed)} confirmed of {len(findings)}, scanned in {seconds:.1f} s", flush=True)
rows, before = [], {}
for f in confirmed:
    p, seconds = run("fix", f["id"], "-p", build, "--json")
    row = {"id": f["id"], "place": "%s:%d" % (f["place"]["file"], f["place"]["line"]), "title": f["title"], "steps": f["fix"]["steps"], "seconds": seconds}
    rows.append(row)
    if p.stdout.strip().startswith("{"):
        a = json.loads(p.stdout)
        row |= {k: a.get(k) for k in ("kind", "what", "applicable", "effect", "refusals", "assumptions", "diff")}
    else:
        row["error"] = p.stderr.strip()
    print(f"{seconds:6.1f} s {os.path.relpath(row['place'])} {row.get('kind', '')} {row.get('effect', row.get('error', ''))}", flush=True)
# Patches of one function may choose the same name for a local, since each was made for
# the sources as they are: what does not apply or compile beside the others waits.
pending = [row for row in rows if row.get("applicable")]
again = {}
while pending:
    late, now, us = [], [], []
    try:
        for row in pending:
            files = {line[6:] for line in row["diff"].splitlines() if line.startswith("--- a/")}
            was = {path: open(path, "rb").read() for path in files}
            for path, text in was.items():
                before.setdefault(path, text)
            p = subprocess.run(["patch", "-p1", "--no-backup-if-mismatch", "-r", "-"], input=row["diff"], capture_output=True, text=True)
            mine = [u for path in files for u in touching(path)]
            wrong = p.stdout.strip().splitlines()[-1] if p.returncode else compiles(mine)
            if wrong:
                for path, text in was.items():
                    open(path, "wb").write(text)
                row["wrong"] = wrong
                late.append(row)
                continue
            now.append(row)
            us += [u for u in mine if u not in us]
        if now:
            left = {g["id"]: g for g in scan(*sorted({os.path.join(u["directory"], u["file"]) for u in us}))[0]}
            for row in now:
                again[row["id"]] = left.get(row["id"])
                row.pop("wrong", None)
    finally:
        for path, text in before.items():
            open(path, "wb").write(text)
    pending = late if now else []
counts = collections.Counter()
for f, row in zip(confirmed, rows):
    if row.get("applicable"):
        left = again.get(f["id"])
        if "wrong" in row:
            row["verdict"] = "does not compile: " + row["wrong"]
        elif left and left["certainty"] == "confirmed":
            row["verdict"] = "finding stays"
            row["left"] = left["title"]
        else:
            row["verdict"] = "gone" if promised(f) == given(row["effect"]) else "gone, title says otherwise"
        why = row["effect"]
    else:
        row["verdict"] = "refused" if "refusals" in row else "nothing found" if "nothing there" in row["error"] else "no patch"
        why = "; ".join(r["text"] for r in row.get("refusals", [])) or row.get("error", "")
    counts[row["verdict"]] += 1
    print(f"{row['verdict']:14} {os.path.relpath(row['place'])} [{f['title']}] {row.get('kind', '')}: {why}", flush=True)
json.dump(rows, open(out, "w"), indent=1)
print(dict(counts))
