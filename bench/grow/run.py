#!/usr/bin/env python3
"""Runs whyhot grow on the programs of expected.json and compares what it says with what is expected.

    bench/grow/run.py WHYHOT DIR [LIST] [NAME...]

LIST is expected.json unless given. DIR keeps what is built and what grow wrote. word-wrap 1.2.3 is installed with npm.
"""
import json
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PROGRAMS = HERE / "testdata"
BUILD = {
    ".c": ["gcc", "-O2", "-g", "-o"], ".cc": ["g++", "-O2", "-g", "-o"], ".go": ["go", "build", "-o"],
    ".rs": ["rustc", "-O", "-g", "-o"], ".hs": ["ghc", "-O", "-g", "-v0", "-outputdir", "hs", "-o"],
}


def built(dir, source):
    """Gives the command line of a program."""
    path, target = PROGRAMS / source, dir / source
    if path.suffix in BUILD:
        binary = dir / target.name.replace(".", "_")
        subprocess.run([*BUILD[path.suffix], str(binary), str(path)], check=True, cwd=dir)
        return [str(binary)]
    shutil.copy(path, target)
    if path.suffix == ".java":
        subprocess.run(["javac", "-d", str(dir), str(target)], check=True)
        return ["java", "-cp", str(dir), path.stem]
    if source == "wrap.js" and not (dir / "node_modules").exists():
        subprocess.run(["npm", "install", "--prefix", str(dir), "word-wrap@1.2.3"], check=True, stdout=subprocess.DEVNULL)
    tool = {".py": "python3", ".rb": "ruby", ".js": "node", ".php": "php", ".pl": "perl", ".tcl": "tclsh", ".erl": "escript", ".awk": "mawk"}[path.suffix]
    return [tool, *(["-f"] if tool == "mawk" else []), str(target), *(["--"] if tool == "mawk" else [])]


def marked(source):
    """Gives the lines that are to be found."""
    text = (PROGRAMS / source).read_text(errors="replace").splitlines()
    return {i for i, line in enumerate(text, 1) if "GROWS" in line}


def judge(case, result):
    """Says whether what was found is what was expected."""
    found = [f"{f['function']}:{f.get('line', 0)} n^{f['exponent']:.2f} ({f['low']:.2f} to {f['high']:.2f}) {f['share']:.0%} → {f['at10x']:.0%}, {f.get('operation', {}).get('kind') or 'own'}" for f in result["functions"]]
    if not case["function"]:
        return ("right" if not found else "FALSE"), found
    first = result["functions"][0] if found else {}
    # Perl's stacks name no subroutine, and Tcl's no line: either tells the place.
    named = case["function"] in first.get("function", "")
    there = first.get("line", 0) in marked(case["program"]) or named and not case.get("lines", True)
    low, high = case["exponent"]
    if there:
        held = low <= first["exponent"] <= high
        return ("found" if len(found) == 1 else "found, with others") + ("" if held else ", exponent not as expected"), found
    return ("MISSED" if not found else "WRONG"), found


def main():
    whyhot, dir = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute()
    dir.mkdir(parents=True, exist_ok=True)
    failed = 0
    rest = sys.argv[3:]
    table = rest.pop(0) if rest and rest[0].endswith(".json") else "expected.json"
    for case in json.loads((HERE / table).read_text()):
        name = case["program"]
        if rest and name not in rest:
            continue
        command = [str(whyhot), "grow", "--json", "-o", str(dir / f"{name}.pb.gz"), "--sizes", ",".join(map(str, case["sizes"])), "--", *built(dir, name), "{n}"]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=dir)
        if ran.returncode:
            print(f"{name} | ERROR | {ran.stderr.strip()}", flush=True)
            failed += 1
            continue
        (dir / f"{name}.json").write_text(ran.stdout)
        result = json.loads(ran.stdout)
        verdict, found = judge(case, result)
        failed += not verdict.startswith(("right", "found"))
        t = result["total"]
        print(f"{name} | {verdict} | {'; '.join(found) or '–'} | whole n^{t['exponent']:.2f} ({t['low']:.2f} to {t['high']:.2f}) | {sum(s['samples'] for s in result['sizes'])}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
