#!/usr/bin/env python3
"""Records each operation of these programs twice, and counts what explain says of it.

    run.py WHYHOT DIR [NAME[:OP]…]

Once the container is long, which is the waste, and once it has a few elements, which looks
alike and is none. The number of rounds is chosen so that a run takes about a second of
CPU. Recordings are kept in DIR and used again.
"""
import json
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LONG, SHORT = 20_000, 6
SECONDS = 1.0
LENGTHS = {"ops.R:bound": 2_000, "ops.R:cell": 2_000, "ops.erl:minus": 4_000, "ops.hs:unique": 300, "ops.tcl:sorted": 2_000}


def command(source, to):
    """What runs a program, compiled where it needs it."""
    kind = source.suffix
    out = to / f"ops{kind}.out"
    compilers = {
        ".c": ["gcc", "-O2", "-g", "-o", out, source],
        ".cc": ["g++", "-O2", "-g", "-o", out, source],
        ".go": ["go", "build", "-o", out, source],
        ".rs": ["rustc", "-O", "-g", "-o", out, source],
        ".java": ["javac", "-g", "-d", out, source],
        ".cs": ["mcs", "-debug", f"-out:{out}", source],
        ".ml": ["ocamlopt", "-g", "-o", out, to / "ops.ml"],
        ".erl": ["erlc", "+debug_info", "-o", to, source],
        ".hs": ["ghc", "-O", "-g", "-outputdir", to / "hs", "-o", out, source],
        ".kt": ["kotlinc", source, "-include-runtime", "-d", f"{out}.jar"],
    }
    if kind == ".ml":
        (to / "ops.ml").write_text(source.read_text())
    fresh = to / f"built{kind}"
    if kind in compilers and not fresh.exists():
        subprocess.run([str(w) for w in compilers[kind]], check=True, cwd=to, capture_output=True)
        fresh.touch()
    runs = {
        ".java": ["java", "-XX:+PreserveFramePointer", "-cp", out, "Ops"],
        ".kt": ["java", "-XX:+PreserveFramePointer", "-jar", f"{out}.jar"],
        ".cs": ["mono", "--debug", out],
        ".erl": ["erl", "-noshell", "-pa", to, "-s", "ops", "main"],
        ".py": ["python3", source], ".js": ["node", source], ".php": ["php", source], ".rb": ["ruby", source],
        ".pl": ["perl", source], ".lua": ["lua5.4", source], ".R": ["Rscript", source], ".exs": ["elixir", source],
        ".tcl": ["tclsh", source], ".m": ["octave-cli", "-q", source],
    }
    return [str(w) for w in runs.get(kind, [out])]


def whole(run, kind, op, length, rounds):
    end = ["-s", "init", "stop"] if kind == ".erl" else []
    return [*run, op, str(length), str(rounds), *end]


def seconds(cmd):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(cmd, check=True, capture_output=True, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rounds_for(run, kind, op, length):
    """As many as take the time, the start of the runtime not counted."""
    start = seconds(whole(run, kind, op, length, 1))
    n = 100
    while True:
        took = seconds(whole(run, kind, op, length, n)) - start
        if took > 0.1 or n >= 50_000_000:
            return max(1, int(n * SECONDS / max(took, 0.001)))
        n *= 8


def recorded(whyhot, run, source, op, length, to):
    path = to / f"{source.name}-{op}-{length}.pb.gz"
    if not path.exists():
        cmd = whole(run, source.suffix, op, length, rounds_for(run, source.suffix, op, length))
        subprocess.run([whyhot, "record", "-o", str(path), "--", *cmd], check=True, capture_output=True, text=True, cwd=to)
    return path


def said(whyhot, path, line):
    """The rules of growth that explain names, those on the line marked, and other rules."""
    report = json.loads(subprocess.run([whyhot, "explain", "--json", str(path)], check=True, capture_output=True, text=True).stdout)
    here, other = [], []
    for f in report["findings"] or []:
        lines = {f.get("place", {}).get("line", 0)} | {p["line"] for p in f.get("paid_by") or []}
        text = f["rule"] + (":" + str(f.get("place", {}).get("line", "")))
        (here if line in lines else other).append(text)
    return here, other


def main():
    whyhot, to = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    to.mkdir(parents=True, exist_ok=True)
    found = wastes = false = alikes = 0
    for source in sorted([*HERE.glob("ops.*"), *HERE.glob("Ops.*")]):
        marks = {m[1]: n for n, text in enumerate(source.read_text().splitlines(), 1) if (m := re.search(r"WASTE (\w+)", text))}
        wanted = [a.partition(":")[2] for a in sys.argv[3:] if a.partition(":")[0] == source.name]
        if sys.argv[3:] and not wanted:
            continue
        try:
            run = command(source, to)
        except (subprocess.CalledProcessError, FileNotFoundError) as e:
            print(f"{source.name} | ERROR {e} {getattr(e, 'stderr', b'') or b''}", flush=True)
            continue
        for op, line in marks.items():
            if any(wanted) and op not in wanted:
                continue
            try:
                paths = [recorded(whyhot, run, source, op, n, to) for n in (LENGTHS.get(f"{source.name}:{op}", LONG), SHORT)]
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as e:
                print(f"{source.name}:{op} | ERROR {e} {(e.stderr or b'')[-300:]}", flush=True)
                continue
            here, other = said(whyhot, paths[0], line)
            hit = any(r.startswith("growth-") for r in here)
            short = [r for r in sum(said(whyhot, paths[1], line), []) if r.startswith("growth-")]
            wastes, alikes, found, false = wastes + 1, alikes + 1, found + hit, false + bool(short)
            print(f"{source.name}:{op} | {'found' if hit else '–'} | {' '.join(here)} | other: {' '.join(other)} | short: {' '.join(short)}", flush=True)
    print(f"found {found} of {wastes}, false {false} of {alikes}")


if __name__ == "__main__":
    main()
