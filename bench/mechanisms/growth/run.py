#!/usr/bin/env python3
"""Records the programs of this directory, and counts what explain says of their growth.

    run.py WHYHOT DIR [NAME…]

The recordings are kept in DIR and used again. A waste is found when a finding about growth,
or one of the catalogue about the same, is on its line.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SIZES = json.loads((HERE / "sizes.json").read_text())


def command(source, to):
    """What runs a program, compiled where it needs it."""
    name, kind = source.stem, source.suffix
    out = to / f"{source.parent.name}-{name}-{kind[1:]}"
    compilers = {
        ".c": ["gcc", "-O2", "-g", "-o", out, source],
        ".cc": ["g++", "-O2", "-g", "-o", out, source],
        ".go": ["go", "build", "-o", out, source],
        ".rs": ["rustc", "-O", "-g", "-o", out, source],
        ".java": ["javac", "-g", "-d", out, source],
        ".ml": ["ocamlopt", "-g", "-o", out, out.with_suffix(".ml")],
        ".erl": ["erlc", "+debug_info", "-o", to, source],
    }
    if kind == ".ml":
        out.with_suffix(".ml").write_text(source.read_text())
    if kind == ".java":
        out.mkdir(exist_ok=True)
    if kind in compilers:
        subprocess.run([str(w) for w in compilers[kind]], check=True, cwd=to)
    runs = {
        ".java": ["java", "-XX:+PreserveFramePointer", "-cp", out, name],
        ".erl": ["erl", "-noshell", "-pa", to, "-run", "init", "stop", "-s", name, "main"],
        ".py": ["python3", source], ".js": ["node", source], ".php": ["php", source], ".rb": ["ruby", source],
        ".pl": ["perl", source], ".lua": ["lua5.4", source], ".R": ["Rscript", source], ".exs": ["elixir", source],
    }
    return [str(w) for w in runs.get(kind, [out])]


def recorded(whyhot, source, to):
    """The recording of a program."""
    path = to / f"{source.parent.name}-{source.name}.pb.gz"
    if not path.exists():
        key = f"{source.parent.name}/{source.name}"
        run = [*command(source, to), str(SIZES[key])]
        if source.suffix == ".erl":
            run = ["erl", "-noshell", "-pa", str(to), "-s", source.stem, "main", str(SIZES[key]), "-s", "init", "stop"]
        subprocess.run([whyhot, "record", "-o", str(path), "--", *run], check=True, capture_output=True, text=True, cwd=to)
    return path


def main():
    whyhot, to = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    to.mkdir(parents=True, exist_ok=True)
    found = wrong = 0
    for source in sorted(HERE.glob("waste/*")) + sorted(HERE.glob("alike/*")):
        if sys.argv[3:] and source.name not in sys.argv[3:]:
            continue
        try:
            path = recorded(whyhot, source, to)
        except subprocess.CalledProcessError as e:
            print(f"{source.parent.name}/{source.name} | ERROR {(e.stderr or '').strip()[-300:]}", flush=True)
            continue
        report = json.loads(subprocess.run([whyhot, "explain", "--json", str(path)], check=True, capture_output=True, text=True).stdout)
        lines = [i for i, text in enumerate(source.read_text().splitlines(), 1) if re.search(r"\bWASTE\b", text)]
        said = []
        hit = False
        for f in report["findings"] or []:
            if f["rule"].startswith("growth-"):
                at = f.get("place", {}).get("line", 0)
                said.append(f"{f['rule']}:{at}")
                hit = hit or (bool(lines) and (at in lines or not at))
            else:
                said.append("(" + f["rule"] + ")")
        growth = [s for s in said if s.startswith("growth-")]
        found += hit
        wrong += source.parent.name == "alike" and bool(growth)
        print(f"{source.parent.name}/{source.name} | {'found' if hit else 'FALSE' if growth else '–'} | {' '.join(said)}", flush=True)
    print(f"found {found}, false {wrong}")


if __name__ == "__main__":
    main()
