#!/usr/bin/env python3
"""How often `whyhot check` is wrong, and what it finds.

  prove.py aa WHYHOT N OUT       checks of programs against themselves
  prove.py long WHYHOT N OUT     the same, of programs that run for a quarter of a second
                                 and take turns of a slice
  prove.py power WHYHOT N OUT    checks of seeded slow-downs of programs that run for a
                                 second, N of each; and which function is named
  prove.py rules OUT             what other rules say of the same runs
  prove.py table OUT...          sums up

Each check makes a repository of a small program, changes it, and asks whyhot. OUT gets
one line of JSON a check, as it ends; a second run makes the checks that OUT lacks.
Environment: WORKERS checks at once (2), at most COUNT checks in this run (all), LEVELS of
slow-downs in percent (2 5 1 0.5).
"""
import concurrent.futures
import json
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

C = """#include <stdio.h>
#include <stdlib.h>
{extra}
__attribute__((noinline)) unsigned first(unsigned n) {{ unsigned h = n; for (unsigned i = 0; i < {a}u; i++) h = h * 31u + (i ^ (h >> 3)); return h; }}
__attribute__((noinline)) unsigned second(unsigned n) {{ unsigned h = n; for (unsigned i = 0; i < {b}u; i++) {{ h ^= h << 5; h += i; }} return h; }}
int main(void) {{ unsigned s = 0; for (unsigned i = 0; i < {loops}; i++) s += first(i) ^ second(i); printf("%d\\n", s != 1); return 0; }}
"""
ALLOC = """#include <stdio.h>
#include <stdlib.h>
{extra}
static int by(const void *a, const void *b) {{ return *(const int *)a - *(const int *)b; }}
__attribute__((noinline)) int first(int n) {{ int *v = malloc(n * sizeof *v); for (int i = 0; i < n; i++) v[i] = (i * 7919) % 10007; qsort(v, n, sizeof *v, by); int r = v[n / 2]; free(v); return r; }}
__attribute__((noinline)) int second(int n) {{ int s = 0; for (int i = 0; i < n; i++) {{ char *p = malloc(16 + i % 64); p[0] = i; s += p[0]; free(p); }} return s; }}
int main(void) {{ int s = 0; for (int i = 0; i < {loops}; i++) s += first({a}) ^ second({b}); printf("%d\\n", s != 1); return 0; }}
"""
GO = """package main

import "fmt"

{extra}

//go:noinline
func first(n int) int {{
	m := map[int]int{{}}
	for i := 0; i < n; i++ {{
		m[i%977] += i
	}}
	return len(m)
}}

//go:noinline
func second(n int) uint32 {{
	h := uint32(n)
	for i := 0; i < n; i++ {{
		h = h*31 + uint32(i)
	}}
	return h
}}

func main() {{
	s := uint32(0)
	for i := 0; i < {loops}; i++ {{
		s += uint32(first({a})) ^ second({b})
	}}
	fmt.Println(s != 1)
}}
"""
PYTHON = """{extra}
def first(n):
    h = 1
    for i in range(n):
        h = (h * 31 + i) & 65535
    return h


def second(n):
    d = {{}}
    for i in range(n):
        d[i % 97] = i
    return len(d)


s = 0
for i in range({loops}):
    s += first({a}) ^ second({b})
print(s != 1)
"""

# How often a program does its work: a few milliseconds of it, and about a second.
SHORT = {"c": 100, "alloc": 10, "go": 10, "python": 10}
SECOND = {"c": 23000, "alloc": 8000, "go": 950, "python": 950}

# What is written, how it is built and run, the work of its two functions, and a change
# that only moves code.
KINDS = {
    "c": ("main.c", C, "gcc -O2 -g -o prog main.c", "./prog", (20000, 30000), "int unused{i}(int n) {{ return n * {i} + 1; }}"),
    "alloc": ("main.c", ALLOC, "gcc -O2 -g -o prog main.c", "./prog", (3000, 60000), "int unused{i}(int n) {{ return n * {i} + 1; }}"),
    "go": ("main.go", GO, "go build -trimpath -o prog main.go", "./prog", (40000, 800000), "func unused{i}(n int) int {{ return n*{i} + 1 }}"),
    "python": ("main.py", PYTHON, "", "python3 main.py", (8000, 8000), "def unused{i}(n):\n    return n * {i} + 1\n"),
}


def git(at, *args):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *args], cwd=at, check=True, capture_output=True)


def check(whyhot, kind, loops, scale, neutral, limit, budget, why, tag):
    """One check: base, then a change by scale of the second function's work."""
    name, text, build, run, (a, b), extra = KINDS[kind]
    at = pathlib.Path(tempfile.mkdtemp(prefix="check-bench-"))
    try:
        git(at, "init", "-q")
        (at / name).write_text(text.format(extra="", a=a, b=b, loops=loops))
        (at / ".gitignore").write_text("prog\n")
        if kind == "go":
            (at / "go.mod").write_text("module prog\n\ngo 1.22\n")
        git(at, "add", "-A")
        git(at, "commit", "-qm", "base")
        more = "\n".join(extra.format(i=i) for i in range(neutral))
        (at / name).write_text(text.format(extra=more, a=a, b=round(b * scale), loops=loops))
        command = [whyhot, "check", "--base", "HEAD", "--json", "--limit", limit, "--budget", budget, "--seed", str(random.randrange(1 << 30))]
        if scale == 1:
            command.append("--always-run")
        if not why:
            command.append("--no-why")
        if build:
            command += ["--build", build]
        out = subprocess.run([*command, "--", *run.split()], cwd=at, capture_output=True, text=True, timeout=1200)
        row = {"kind": kind, "scale": scale, "neutral": neutral, "limit": limit, "budget": budget, "tag": tag, "exit": out.returncode}
        if out.returncode in (0, 1, 3):
            r = json.loads(out.stdout)
            row.update({k: r.get(k) for k in ("verdict", "ratio", "low", "high", "bound", "elapsed_seconds", "cpu_seconds")})
            row["functions"] = [f["name"] for f in r.get("functions", [])]
            row["samples"] = r["commands"][0].get("samples")
            row["layouts"] = r["commands"][0].get("across_layouts")
            row["calibration"] = r.get("calibration")
            row["notes"] = r.get("notes")
            row["rounds"] = r["commands"][0]["rounds"]
            row["load"] = os.getloadavg()[0]
        else:
            row["error"] = out.stderr[-500:]
        return row
    finally:
        shutil.rmtree(at, ignore_errors=True)


def share_of_second(kind, loops):
    """Which part of a run's CPU time the second function takes: from runs with it twice."""
    name, text, build, run, (a, b), _ = KINDS[kind]
    with tempfile.TemporaryDirectory(prefix="check-bench-") as d:
        at = [pathlib.Path(d) / str(n) for n in (1, 2)]
        for n, side in enumerate(at, 1):
            side.mkdir()
            (side / name).write_text(text.format(extra="", a=a, b=b * n, loops=loops))
            if kind == "go":
                (side / "go.mod").write_text("module prog\n\ngo 1.22\n")
            if build:
                subprocess.run(["sh", "-c", build], cwd=side, check=True)
        took = [[], []]
        for _ in range(7):
            for side, list_ in zip(at, took):
                was = os.times()
                subprocess.run(run.split(), cwd=side, check=True, capture_output=True)
                now = os.times()
                list_.append(now.children_user + now.children_system - was.children_user - was.children_system)
        return median(took[1]) / median(took[0]) - 1


def jobs(mode, n, shares):
    """The checks of a mode, levels and programs taking turns."""
    kinds = list(KINDS)
    for i in range(n):
        kind = kinds[i % len(kinds)]
        if mode == "aa":
            # A third are the same program; the others have code moved.
            yield i, (kind, SHORT[kind], 1, 0 if i % 3 == 0 else 1 + i % 7, "2%", "6s", False, "aa")
        if mode == "long":
            # The limit of 0% is the harder one: any difference beyond it is a verdict.
            limit, budget = ("0%", "45s") if i // len(kinds) % 2 else ("2%", "20s")
            yield i, (kind, SECOND[kind] // 4, 1, 0 if i % 3 == 0 else 1 + i % 7, limit, budget, False, "long")
        for percent in map(float, os.environ.get("LEVELS", "2 5 1 0.5").split()) if mode == "power" else ():
            yield i, (kind, SECOND[kind], 1 + percent / 100 / shares[kind], 0, "0%", "5m", percent >= 2, f"{percent:g}%")


def wilson(k, n):
    if n == 0:
        return 0, 1
    z, p = 1.959964, k / n
    mid, half = p + z * z / 2 / n, z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    return max(0, (mid - half) / (1 + z * z / n)), (mid + half) / (1 + z * z / n)


def mann_whitney(a, b):
    """Two-sided p of the rank-sum test, normal with the correction for ties."""
    both = sorted([(v, 0) for v in a] + [(v, 1) for v in b])
    ranks, ties, i = {}, 0, 0
    total = 0.0
    while i < len(both):
        j = i
        while j < len(both) and both[j][0] == both[i][0]:
            j += 1
        total += sum((i + j + 1) / 2 for k in range(i, j) if both[k][1] == 0)
        ties += (j - i) ** 3 - (j - i)
        i = j
    n, m = len(a), len(b)
    u, mean = total - n * (n + 1) / 2, n * m / 2
    var = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)))
    return 1 if var <= 0 else math.erfc(max(0, abs(u - mean) - 0.5) / math.sqrt(2 * var))


def median(v):
    v = sorted(v)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def mean(v):
    return sum(v) / len(v)


# What others would say of ten runs of each side, and of as many as the check made.
RULES = {
    "benchstat (p < 0.05, slower)": lambda a, b: mann_whitney(a, b) < 0.05 and median(b) > median(a),
    "a limit of 2% on the mean": lambda a, b: mean(b) > 1.02 * mean(a),
    "hyperfine with a limit of 5% on the mean": lambda a, b: mean(b) > 1.05 * mean(a),
    "pytest-benchmark, --benchmark-compare-fail=min:5%": lambda a, b: min(b) > 1.05 * min(a),
    "github-action-benchmark, 200%": lambda a, b: mean(b) > 2 * mean(a),
}


def read(paths):
    return [json.loads(line) for p in paths for line in open(p)]


def checks(paths):
    return [r for r in read(paths) if r["tag"] != "shares"]


def rules(rows):
    rows = [r for r in rows if r.get("samples")]
    for tag in sorted({r["tag"] for r in rows}):
        of = [r for r in rows if r["tag"] == tag and len(r["samples"]["before"]) >= 10]
        print(f"{tag}: {len(of)} checks, the first 10 runs of each side")
        for name, rule in RULES.items():
            k = sum(rule(r["samples"]["before"][:10], r["samples"]["after"][:10]) for r in of)
            low, high = wilson(k, len(of))
            print(f"  {name:50s} {k:4d}  {100 * k / max(1, len(of)):5.1f}% ({100 * low:.1f} to {100 * high:.1f})")


def table(rows):
    groups = sorted({(r["tag"], r["limit"]) for r in rows})
    for tag, limit in groups:
        of = [r for r in rows if r["tag"] == tag and r["limit"] == limit]
        done = [r for r in of if "verdict" in r]
        count = {v: sum(r["verdict"] == v for r in done) for v in ("slower", "not slower", "undecided", "identical")}
        low, high = wilson(count["slower"], len(done))
        print(f"{tag}, limit {limit}: {len(done)} checks ({len(of) - len(done)} failed), {count}; slower {100 * count['slower'] / max(1, len(done)):.1f}% ({100 * low:.1f} to {100 * high:.1f}); "
              f"elapsed {median([r['elapsed_seconds'] for r in done]):.1f} s, load {min(r['load'] for r in done):.0f} to {max(r['load'] for r in done):.0f}")
        for kind in KINDS:
            k = [r for r in done if r["kind"] == kind]
            if k:
                print(f"    {kind:7s} {len(k):4d}: slower {sum(r['verdict'] == 'slower' for r in k)}, not slower {sum(r['verdict'] == 'not slower' for r in k)}, undecided {sum(r['verdict'] == 'undecided' for r in k)}; median bound {100 * median([r['bound'] for r in k if r.get('bound') is not None] or [0]):.1f}%")
        if any(r.get("functions") for r in done):
            slower = [r for r in done if r["verdict"] == "slower"]
            first = sum(bool(r["functions"]) and r["functions"][0].split(".")[-1] == "second" for r in slower)
            print(f"    named first: {first} of {len(slower)}")


def main():
    mode = sys.argv[1]
    if mode in ("rules", "table"):
        {"rules": rules, "table": table}[mode](checks(sys.argv[2:]))
        return
    whyhot, n, out = os.path.abspath(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    have = read([out]) if os.path.exists(out) else []
    with open(out, "a") as f:
        def write(row):
            have.append(row)
            f.write(json.dumps(row) + "\n")
            f.flush()

        if mode == "power" and not have:
            write({"tag": "shares", "shares": {k: share_of_second(k, SECOND[k]) for k in KINDS}})
        shares = next((r["shares"] for r in have if r["tag"] == "shares"), {})
        made = {(r.get("number"), r["tag"]) for r in have}
        left = [(i, j) for i, j in jobs(mode, n, shares) if (i, j[-1]) not in made]
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("WORKERS", "2"))) as pool:
            under_way = {pool.submit(check, whyhot, *j): i for i, j in left[: int(os.environ.get("COUNT", len(left)))]}
            for done in concurrent.futures.as_completed(under_way):
                write({"number": under_way[done], **done.result()})


if __name__ == "__main__":
    main()
