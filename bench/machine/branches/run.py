#!/usr/bin/env python3
"""How well recordings tell mispredicted branches: run.py WHYHOT DIR

Compiles kernels.c by several compilers, measures each kernel on each kind of data (ns an
element, CPU time), records it for a second, and asks explain. A kernel is mispredicted on random
data where it takes 1.3 times as long as the median of the data that can be foreseen; where not,
it has no branch. Of the kernel "longer" a branch is not to be named: what it skips is long. Prints
a row for each, and a table of what was named."""
import collections, json, os, statistics, subprocess, sys

KERNELS = "append two histogram partition merge ranges words runs money longer".split()
FORESEEN = ["constant", "sorted", "turn", "period"]
DATA = ["half", "tenth"] + FORESEEN
COMPILERS = {"gcc -O2": ["gcc", "-O2"], "gcc -O3": ["gcc", "-O3"], "clang -O2": ["clang-19", "-O2"]}


def measured(program, kernel, data):
    runs = [subprocess.run([program, kernel, data, "0.2"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=True, text=True).stderr for _ in range(3)]
    return sorted(float(r) for r in runs)[1]


def named(whyhot, program, kernel, data, out):
    subprocess.run([whyhot, "record", "-o", out, "--", program, kernel, data, "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    report = json.loads(subprocess.run([whyhot, "explain", "--json", out], stdout=subprocess.PIPE, check=True).stdout)
    return [f for f in report.get("findings") or [] if f["rule"] == "machine-branch" and not f.get("minor")]


def main():
    whyhot, out = sys.argv[1], sys.argv[2]
    os.makedirs(out, exist_ok=True)
    here = os.path.dirname(os.path.abspath(__file__))
    table = collections.Counter()
    for compiler, command in COMPILERS.items():
        program = os.path.join(out, compiler.replace(" -", "-"))
        subprocess.run(command + ["-g", "-w", os.path.join(here, "kernels.c"), "-o", program], check=True)
        for kernel in KERNELS:
            times = {d: measured(program, kernel, d) for d in DATA}
            limit = 1.3 * statistics.median(times[d] for d in FORESEEN)
            for data in DATA:
                found = named(whyhot, program, kernel, data, os.path.join(out, "x.whyhot"))
                kind = "long" if kernel == "longer" else "foreseen" if data in FORESEEN else "mispredicted" if times[data] >= limit else "no branch"
                table[compiler, kind, bool(found)] += 1
                gain = found[0]["gain"] if found else None
                print(f"{compiler:10} {kernel:10} {data:9} {times[data]:6.2f} ns {kind:13} {'named' if found else '-':6} " + (f"{gain['low']:.0%} to {gain['high']:.0%}" if gain else ""), flush=True)
    print()
    for compiler in COMPILERS:
        for kind in ["mispredicted", "no branch", "foreseen", "long"]:
            yes, no = table[compiler, kind, True], table[compiler, kind, False]
            print(f"{compiler:10} {kind:13} named {yes} of {yes + no}")


main()
