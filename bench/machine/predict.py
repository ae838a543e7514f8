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


def main():
    cpu, rounds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "9"
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        for n, build in enumerate(BUILDS):
            program = os.path.join(tmp, f"loops{n}")
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
                measured = statistics.median(t / c for t, c in zip(ns, cycle)) * several
                c = loop["cycles"][cpu]
                rows.append((f"{build[0]} {build[1]}", name, (c["least"] + c["most"]) / 2, measured, c["limit"], several))
    print(f"{'build':14} {'loop':22} {'predicted':>9} {'measured':>9} {'ratio':>6}  limit")
    for build, name, p, m, limit, several in sorted(rows, key=lambda r: r[3] / r[2]):
        print(f"{build:14} {name:22} {p:9.2f} {m:9.2f} {m / p:6.2f}  {limit}" + (f", {several:g} in one" if several != 1 else ""))
    print(f"{len(rows)} loops, rank correlation {correlation([r[2] for r in rows], [r[3] for r in rows]):.3f}")
    for build in dict.fromkeys(r[0] for r in rows):
        part = [r for r in rows if r[0] == build]
        print(f"  {build}: {len(part)} loops, {correlation([r[2] for r in part], [r[3] for r in part]):.3f}")
    ratio = sorted(r[3] / r[2] for r in rows)
    print(f"measured / predicted: median {statistics.median(ratio):.2f}, half of them {ratio[len(ratio) // 4]:.2f} to {ratio[3 * len(ratio) // 4]:.2f}")


main()
