#!/usr/bin/env python3
"""Times real functions as written and as edited.

time.py DIR [CASE…]: for every PACKAGE-NN-name.cpp beside this file, compiles the
units that it needs from the package in DIR (see ../sources.sh) with the unit's
own flags, by clang 19 and by gcc 12, once with edits/PACKAGE/NN-name.diff
applied and once without, links the benchmark with each, runs the two programs
in turn (ROUNDS, 31), and prints the ratios. Names that a benchmark never reaches
stay unresolved: the functions are real, the library around them is not all here.
"""
import concurrent.futures
import glob
import json
import os
import random
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = int(os.environ.get("ROUNDS", "31"))
SPLASH = ["splash/*.cc", "goo/gmem.cc", "goo/GooString.cc", "goo/gfile.cc", "poppler/Error.cc"]
# The units to link beside the edited one.
NEEDS = {
    "openjpeg2-01-bio-write": ["src/lib/openjp2/opj_malloc.c", "src/lib/openjp2/bio.c"],
    "poppler-01-scale-mono": SPLASH,
    "poppler-02-scale-cmyk": SPLASH,
    "poppler-03-composite-background": SPLASH,
    "poppler-04-clear-bgr": SPLASH,
    "poppler-08-clip-copy": SPLASH,
    "poppler-12-write-bgr": SPLASH,
    "poppler-14-md5-pad": ["poppler/Decrypt.cc", "goo/gmem.cc"],
    "exiv2-02-convert-to-bool": ["xmpsdk/src/XMPUtils.cpp", "xmpsdk/src/XMPCore_Impl.cpp"],
}
COMPILERS = {"clang 19": ("clang-19", "clang++-19"), "gcc 12": ("gcc-12", "g++-12")}
OTHERS = {"clang 19": ("-Wlogical-op",), "gcc 12": ()}


def units(directory, package):
    out = {}
    for unit in json.load(open(os.path.join(directory, package + "-build", "compile_commands.json"))):
        path = os.path.realpath(os.path.join(unit["directory"], unit["file"]))
        out.setdefault(os.path.relpath(path, os.path.realpath(os.path.join(directory, package))), unit)
    return out


def command(unit, compiler):
    args = unit.get("arguments") or shlex.split(unit["command"])
    names = COMPILERS[compiler]
    args = [names[args[0].endswith("++")]] + [a for a in args[1:] if a not in OTHERS[compiler]]
    at = args.index("-o")
    del args[at:at + 2]
    args.remove("-c")
    args.remove(unit["file"])
    return args + ["-w", "-fno-lto"]


def run(args, cwd):
    out = subprocess.run(args, cwd=cwd, text=True, capture_output=True, errors="replace")
    if out.returncode:
        sys.exit(f"time.py: {shlex.join(args)}\n{out.stderr[-3000:]}")


def compile_unit(unit, compiler, obj):
    source = os.path.join(unit["directory"], unit["file"])
    if not os.path.exists(obj) or os.path.getmtime(obj) < os.path.getmtime(source):
        run(command(unit, compiler) + ["-c", unit["file"], "-o", obj], unit["directory"])


def edited_file(diff):
    return next(l[6:].strip() for l in open(diff, encoding="latin-1") if l.startswith("+++ b/"))


def build(case, directory, compiler):
    package, name = case.split("-", 1)
    known = units(directory, package)
    tree = os.path.join(directory, package)
    diff = os.path.join(HERE, "../edits", package, name + ".diff")
    out = os.path.join(directory, "timing", compiler.replace(" ", "-"), package)
    os.makedirs(out, exist_ok=True)
    files = []
    for pattern in NEEDS[case]:
        files += [os.path.relpath(f, tree) for f in sorted(glob.glob(os.path.join(tree, pattern)))]
    files = [f for f in files if f in known]
    edited = edited_file(diff)
    objects = {f: os.path.join(out, f.replace("/", "_") + ".o") for f in files}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda f: compile_unit(known[f], compiler, objects[f]), files))
    changed = os.path.join(out, name + ".edited.o")
    patch = ["patch", "--quiet", "-p1", "-d", tree, "-i", diff]
    subprocess.run(patch, check=True)
    try:
        run(command(known[edited], compiler) + ["-c", known[edited]["file"], "-o", changed], known[edited]["directory"])
    finally:
        subprocess.run(patch + ["-R"], check=True)
    os.utime(objects[edited])  # taking the edit back touched the source
    programs = {}
    base = [a for a in command(known[edited], compiler) if not a.startswith(("-std=", "-fno-exceptions", "-Werror"))]
    base[0] = COMPILERS[compiler][1]
    flags = base + ["-I", os.path.dirname(os.path.join(tree, edited))]
    for arm in ("written", "edited"):
        programs[arm] = os.path.join(out, f"{name}-{arm}")
        linked = [changed if arm == "edited" and f == edited else o for f, o in objects.items()]
        run(flags + ["-std=c++17", "-O2", "-fno-access-control", os.path.join(HERE, case + ".cpp")] + linked +
            ["-o", programs[arm], "-no-pie", "-Wl,--unresolved-symbols=ignore-all", "-Wl,-z,lazy", "-pthread"], known[edited]["directory"])
    return programs


def measure(programs, label):
    rnd = random.Random(3)
    samples, made = [], {}
    for _ in range(ROUNDS):
        for arm in rnd.sample(sorted(programs), 2):
            out = subprocess.run([programs[arm], arm, label], text=True, capture_output=True, check=True, env={**os.environ, "ROUNDS": "1"})
            first, *rest = out.stdout.splitlines()
            made.setdefault(arm, first)
            samples += rest
    if len(set(made.values())) != 1:
        sys.exit(f"time.py: {label}: the edited function gives something else: {made}")
    return samples


def main():
    directory = os.path.realpath(sys.argv[1])
    cases = sys.argv[2:] or sorted(NEEDS)
    lines = []
    for case in cases:
        for compiler in COMPILERS:
            programs = build(case, directory, compiler)
            lines += measure(programs, f"{case} | {compiler}")
            print(case, compiler, "done", file=sys.stderr, flush=True)
    print("| edit | compiler | | as written | speed-up of the edited source | 95 % |\n|---|---|---|---|---|---|")
    subprocess.run([sys.executable, os.path.join(HERE, "../ratios.py")], input="\n".join(lines) + "\n", text=True, check=True)


if __name__ == "__main__":
    main()
