#!/usr/bin/env python3
"""Does an analyser that keeps preambles and findings say what a new one says? Random edits of the files
of saves.py, each analysed by both; the answers are compared as a whole, and how long the optimiser took in each. Needs `make analyzer`.
  bench/editors/same.py WORK_DIR [EDITS [SEED]]"""
import json, os, pathlib, random, subprocess, sys

root = pathlib.Path(__file__).resolve().parents[2]
work = pathlib.Path(sys.argv[1]).resolve()
edits = int(sys.argv[2]) if len(sys.argv) > 2 else 10
random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
PROGRAMS = [
    ("bzip2", "blocksort.c", ["clang-19", "-O2", "-g"]),
    ("lua5.4", "src/ltable.c", ["clang-19", "-O2", "-g", "-DLUA_USE_POSIX"]),
    ("libjsoncpp", "src/lib_json/json_writer.cpp", ["clang++-19", "-O2", "-g", "-Iinclude"]),
    ("libjsoncpp", "src/lib_json/json_reader.cpp", ["clang++-19", "-O2", "-g", "-Iinclude"]),
]


def start():
    return subprocess.Popen([root / "bin/whyhot-analyzer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(analyser, request):
    analyser.stdin.write(json.dumps(request) + "\n")
    analyser.stdin.flush()
    return json.loads(analyser.stdout.readline())


# With absolute paths: a preamble names its headers so.
def absolute(x, directory):
    if isinstance(x, list):
        return [absolute(y, directory) for y in x]
    if not isinstance(x, dict):
        return x
    return {k: os.path.normpath(os.path.join(directory, v)) if k == "file" and v else absolute(v, directory) for k, v in x.items()}


def said(reply, directory):
    reply = absolute(reply, directory)
    for own in ["front_end_seconds", "analysis_seconds", "preamble", "reused"]:
        reply.pop(own)
    reply["dependencies"] = sorted({os.path.normpath(os.path.join(directory, d)) for d in reply["dependencies"]})
    return reply


def edited(lines, i):
    lines = list(lines)
    kind = random.randrange(6)
    if kind == 0:
        lines.append("void whyhot_edit_%d(unsigned char *p, int *n) { for (int i = 0; i < *n; i++) p[i] = (unsigned char)i; }" % i)
    elif kind == 1:  # in a body
        lines[random.choice([j for j, x in enumerate(lines) if x.startswith("  ") and x.rstrip().endswith(";")])] += ";"
    elif kind == 2:
        lines.insert(random.randrange(len(lines)), "")
    elif kind == 3:  # in the preamble
        lines.insert(1 + max(j for j, x in enumerate(lines) if x.startswith("#include")), "#include <stddef.h>")
    elif kind == 4:  # a loop in a body
        lines[random.choice([j for j, x in enumerate(lines) if x.startswith("  ") and x.rstrip().endswith(";")])] += " for (int whyhot_i = 0; whyhot_i < %d; whyhot_i++) asm volatile(\"nop\");" % (i + 9)
    else:  # often an error
        del lines[random.randrange(len(lines) // 2, len(lines))]
    return lines


differ = 0
kept, fresh = start(), start()
for package, name, flags in PROGRAMS:
    source = pathlib.Path(subprocess.run([str(root / "scripts/deb-source"), "--upstream", package, str(work)], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
    file = source / name
    original = file.read_text()
    lines = original.split("\n")
    seen = {"": 0, "made": 0, "used": 0}
    errors = 0
    times = []
    try:
        for i in range(edits):
            after = edited(lines, i)
            file.write_text("\n".join(after))
            request = {"version": 1, "directory": str(source), "arguments": [*flags, "-c", name], "predicates": ["char"], "blame": True, "layers": ["ast", "ir"]}
            warm, cold = ask(kept, {**request, "preamble": True}), ask(fresh, request)
            seen[warm["preamble"]] += 1
            errors += bool(cold["errors"])
            if not cold["errors"]:
                lines = after
                times.append((warm["analysis_seconds"], cold["analysis_seconds"], warm["reused"]))
            warm, cold = said(warm, source), said(cold, source)
            if warm != cold:
                differ += 1
                print(f"  {name}, edit {i}: other {', '.join(k for k in cold if cold[k] != warm.get(k))}")
    finally:
        file.write_text(original)
    print(f"{package} {name}: {edits} edits, {errors} with errors; preamble used {seen['used']} times, made {seen['made']}", flush=True)
    for some, whole, reused in times:
        print(f"    {some:.3f} s where {reused} functions are reused, a new process {whole:.3f} s", flush=True)
print(f"{differ} answers differ")
sys.exit(differ > 0)
