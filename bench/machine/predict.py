#!/usr/bin/env python3
"""Cycles per iteration that whyhot cycles predicts, against measured ones.

predict.py CPU [ROUNDS]   CPU is LLVM's name of this machine's processor: znver4

Each loop of loops.inc is compiled by gcc and clang, timed in the same process as all
others (interleaved, a round after the other), and divided by the time of an addition
that waits for the one before, which is a cycle. An iteration of the machine code may do
the work of several: by how much its addresses move says of how many.
"""
import json, os, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WHYHOT = os.path.join(HERE, "..", "..", "bin", "whyhot")
PLAIN = ["-fno-unroll-loops", "-fno-tree-loop-distribute-patterns"]
BUILDS = [["gcc", "-O2", *PLAIN], ["gcc", "-O3", *PLAIN], ["clang-19", "-O2", "-fno-unroll-loops", "-fno-builtin"]]
ALIGNED = "-falign-loops=64"  # else the place of a short loop decides between one cycle and two


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            out[order[k]] = (i + j) / 2
        i = j + 1
    return out


def correlation(a, b):
    return statistics.correlation(ranks(a), ranks(b))


def predicted(program, name, cpu):
    text = subprocess.run([WHYHOT, "cycles", f"{program}:loop_{name}", "--cpu", cpu, "--json"], capture_output=True, text=True, check=True).stdout
    loops = [l for l in json.loads(text)["functions"][0]["loops"] if cpu in l.get("cycles", {})]
    # Of a vector loop and the one for what is left over: the first has all iterations.
    return max(loops, key=lambda l: l.get("step", 0), default=None)


def measured(tmp, build, rounds, cpu):
    program = os.path.join(tmp, "loops")
    subprocess.run([*build, "-w", "-g0", os.path.join(HERE, "loops.c"), "-o", program, "-lm"], check=True)
    times = {}
    for line in subprocess.run([program, rounds], capture_output=True, text=True, check=True).stdout.splitlines():
        name, size, ns = line.split("\t")
        times.setdefault((name, int(size)), []).append(float(ns))
    cycle = times.pop(("cycle", 0))
    print(f"{' '.join(build)}: a cycle takes {statistics.median(cycle):.4f} ns ({min(cycle):.4f} to {max(cycle):.4f})")
    for (name, size), ns in times.items():
        loop = predicted(program, name, cpu)
        if loop is None:
            print(f"  {name}: no loop with a number")
            continue
        several = loop["step"] / size if size and loop.get("step") else 1
        c = loop["cycles"][cpu]
        # The fastest round: what else ran on the machine makes a round slower, never faster.
        m = min(ns) / min(cycle) * several
        kind = "bound" if any(loop.get(k) for k in ("calls", "atomic", "strings")) else "range" if c["least"] != c["most"] else "number"
        yield kind, f"{build[0]} {build[1]}", name, c, m, several


def main():
    cpu, rounds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "9"
    for flags in ([], [ALIGNED]):
        with tempfile.TemporaryDirectory() as tmp:
            rows = [r for build in BUILDS for r in measured(tmp, [*build, *flags], rounds, cpu)]
        show(flags, rows)


def show(flags, rows):
    print(f"\n== {' '.join(flags) or 'loops where the compiler puts them'}")
    one = [(b, name, c["most"], m, c["limit"], several) for kind, b, name, c, m, several in rows if kind == "number"]
    print(f"{'build':14} {'loop':22} {'predicted':>9} {'measured':>9} {'ratio':>6}  limit")
    for build, name, p, m, limit, several in sorted(one, key=lambda r: r[3] / r[2]):
        print(f"{build:14} {name:22} {p:9.2f} {m:9.2f} {m / p:6.2f}  {limit}" + (f", {several:g} in one" if several != 1 else ""))
    for kind in ("range", "bound"):
        for k, build, name, c, m, several in rows:
            if k == kind:
                print(f"{build:14} {name:22} {kind} {c['least']:.2f} to {c['most']:.2f}, measured {m:.2f}")
    print(f"{len(one)} loops with one number: rank correlation {correlation([r[2] for r in one], [r[3] for r in one]):.3f}")
    for build in dict.fromkeys(r[0] for r in one):
        part = [r for r in one if r[0] == build]
        print(f"  {build}: {len(part)} loops, {correlation([r[2] for r in part], [r[3] for r in part]):.3f}")
    ratio = sorted(r[3] / r[2] for r in one)
    near = sum(0.8 <= r <= 1.25 for r in ratio)
    print(f"measured / predicted: median {statistics.median(ratio):.2f}, {near} of {len(ratio)} within 0.8 to 1.25")
    inside = [0.9 * c["least"] <= m <= 1.1 * c["most"] for kind, _, _, c, m, _ in rows if kind == "range"]
    print(f"{sum(inside)} of {len(inside)} ranges hold what was measured (10% aside)")
    every = correlation([(c["least"] + c["most"]) / 2 for _, _, _, c, _, _ in rows], [m for _, _, _, _, m, _ in rows])
    print(f"all {len(rows)}, ranges by their middle and bounds as if they were numbers: {every:.3f}")


main()
