#!/usr/bin/env python3
"""Is a variant that does other work told from one that does the same?

run.py WHYHOT [REPETITIONS]: tries suite.yaml so often, and writes for every
variant how many of its comparisons said what they should.
"""
import collections, json, os, pathlib, shutil, subprocess, sys, tempfile

here = pathlib.Path(__file__).parent.resolve()
whyhot, times = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
honest = {"the same", "another allocator", "faster"}
with tempfile.TemporaryDirectory() as work:
    shutil.copytree(here, work, dirs_exist_ok=True)
    subprocess.run(["c++", "-O1", "-std=c++17", "-pthread", "-o", "vary", "vary.cpp"], cwd=work, check=True)
    subprocess.run(["go", "build", "-o", os.path.join(work, "varygo"), "./order"], cwd=here, check=True)
    rows = collections.defaultdict(lambda: collections.defaultdict(list))
    for _ in range(times):
        out = subprocess.run([whyhot, "try", "suite", "suite.yaml", "--runs", "9", "--metric", "cpu", "--json"] + sys.argv[3:], cwd=work, capture_output=True, env=os.environ | {"XDG_STATE_HOME": work})
        if not out.stdout:
            sys.exit(out.stderr.decode())
        r = json.loads(out.stdout)
        for b in r["benchmarks"]:
            if "error" in b:
                print(b["name"], b["error"], file=sys.stderr)
            for name, v in zip(r["variants"], b.get("variants", [])):
                rows[b["name"]][name].append(v)
    names = r["variants"]
    sums = collections.Counter()
    print("| program | compared |", " | ".join(names), "|\n|" + "---|" * (2 + len(names)))
    for bench, by in rows.items():
        cells = []
        for name in names:
            different = sum(v["verdict"] == "different output" for v in by[name])
            wrong = different if name in honest else len(by[name]) - different
            kind = "false alarm" if name in honest else "missed"
            sums[name, "wrong"] += wrong
            sums[name, "all"] += len(by[name])
            if wrong:
                for v in by[name]:
                    if (v["verdict"] == "different output") == (name in honest):
                        print(f"{bench} · {name}: {v['verdict']}, {v.get('explanation')} [{v.get('compared')}: {v.get('compared_why')}]", file=sys.stderr)
                        break
            cells.append(f"**{wrong} {kind}**" if wrong else "ok")
        how = collections.Counter(v.get("compared", "") for v in by["the same"]).most_common(1)[0][0]
        print(f"| {bench} | {how} |", " | ".join(cells), "|")
    print("| wrong, of all | |", " | ".join(f"{sums[n, 'wrong']} of {sums[n, 'all']}" for n in names), "|")
