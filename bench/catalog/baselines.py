#!/usr/bin/env python3
"""Keeps what estimates are held against: for every pair of run.py and programs.py
the profile of its baseline, and the ratio that was measured, in pairs.json.

    WHYHOT=bin/whyhot python3 bench/catalog/baselines.py [--measure] [PATTERN]

PATTERN is a regular expression for "ENTRY PAIR". A pair that has no profile is
recorded (as root: the eBPF sampler); its ratio comes from the tables of
bench/catalog.md, or is measured anew with --measure, as run.py does it. Rows that
are there already stay unless they match.
"""
import datetime, json, os, random, re, statistics, subprocess, sys
import programs, run

HERE = os.path.dirname(os.path.abspath(__file__))
ROW = re.compile(r"^\| ([\w-]+) \| (.+?) \| ([\d.]+) s \| ([\d.]+)× \| ([\d.]+) … ([\d.]+) \|")


def tables():
    """The ratios that bench/catalog.md has."""
    with open(os.path.join(HERE, "..", "catalog.md")) as f:
        rows = [ROW.match(line) for line in f]
    return {(m[1], m[2]): {"ratio": float(m[4]), "low": float(m[5]), "high": float(m[6]), "source": "bench/catalog.md"} for m in rows if m}


def measure(base, variant, rnd):
    for cmd, extra in (base, variant):
        run.cpu(cmd, extra)
    a, b = [], []
    for _ in range(run.ROUNDS):
        for which in rnd.sample([0, 1], 2):
            (a, b)[which].append(run.cpu(*(base, variant)[which]))
    lo, hi = run.interval(a, b, rnd)
    return {"ratio": round(statistics.median(a) / max(1e-9, statistics.median(b)), 3), "low": round(lo, 3), "high": round(hi, 3),
            "source": f"bench/catalog/baselines.py, {run.ROUNDS} rounds, {datetime.date.today()}"}


def record(base, name):
    """Records one run of the baseline, a few where one is short."""
    cmd, extra = base
    out = os.path.join(HERE, "profiles", name)
    args = [os.environ.get("WHYHOT", "whyhot"), "record", "-F", "999", "-o", out, "--"] + cmd
    subprocess.run(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env={**os.environ, **extra}, check=True)


def main():
    args = [a for a in sys.argv[1:] if a != "--measure"]
    fresh, want = "--measure" in sys.argv, re.compile(args[0] if args else ".")
    file = os.path.join(HERE, "pairs.json")
    kept = {}
    if os.path.exists(file):
        with open(file) as f:
            kept = {(r["entry"], r["pair"]): r for r in json.load(f)["pairs"]}
    os.makedirs(os.path.join(HERE, "profiles"), exist_ok=True)
    run.inputs()
    programs.inputs()
    known, rnd = tables(), random.Random(7)
    for entry, what, base, variant in list(run.pairs()) + list(programs.pairs()):
        if not want.search(f"{entry} {what}"):
            continue
        name = re.sub(r"[^\w.]+", "-", f"{entry} {what.split(':')[0].split(' → ')[0]}").strip("-") + ".pb.gz"
        row = {"entry": entry, "pair": what, "profile": name}
        try:
            row |= measure(base, variant, rnd) if fresh or (entry, what) not in known else known[entry, what]
            if not os.path.exists(os.path.join(HERE, "profiles", name)):
                record(base, name)
        except (OSError, subprocess.CalledProcessError) as err:
            print(f"{entry}, {what}: skipped: {err}", file=sys.stderr)
            continue
        kept[entry, what] = row
        print(json.dumps(row, ensure_ascii=False), flush=True)
        with open(file, "w") as f:
            rows = ",\n".join("  " + json.dumps(r, ensure_ascii=False) for _, r in sorted(kept.items()))
            f.write('{"pairs": [\n' + rows + "\n]}\n")


if __name__ == "__main__":
    main()
