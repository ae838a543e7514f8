#!/usr/bin/env python3
"""Do edited sources do what the worlds predicted?

check.py DIR [PACKAGE…] reads every edits/PACKAGE/NN-….diff, unpacks and
configures the package in DIR where that is not done (sources.sh), asks
whyhot-analyzer about the loop as written, applies the diff, asks again about the
edited loop as written, and takes the diff back. Beside the analyser's own facts
it compiles both with clang++-19 and shows the optimiser's remarks at the loop
and the instructions of the function that read memory.
"""
import json
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ANALYZER = os.environ.get("WHYHOT_ANALYZER", os.path.join(HERE, "../../bin/whyhot-analyzer"))
GCC_ONLY = ("-Wlogical-op", "-Wno-format-truncation")


class Edit:
    def __init__(self, path):
        self.path = path
        head = open(path, encoding="latin-1").read().split("\n--- ", 1)[0]
        fields = dict(line.split(": ", 1) for line in head.splitlines())
        loop = re.match(r"(\S+):(\d+) is \S+:(\d+) afterwards", fields["loop"])
        self.file, self.line, self.edited_line = loop[1], int(loop[2]), int(loop[3])
        self.stores, self.function = fields["stores"], fields["function"]
        self.world, self.how = fields["edit"].split(": ", 1)
        self.name = os.path.splitext(os.path.basename(path))[0]


def unit_of(build, source):
    for unit in json.load(open(os.path.join(build, "compile_commands.json"))):
        if os.path.realpath(os.path.join(unit["directory"], unit["file"])) == source:
            return unit
    sys.exit(f"check.py: {source} is in no unit of {build}")


def arguments(unit):
    return [a for a in unit.get("arguments") or shlex.split(unit["command"]) if a not in GCC_ONLY]


def facts(edit, unit, file, line):
    """The analyser's answer on the loop that starts at the line."""
    request = {"version": 1, "directory": unit["directory"], "arguments": arguments(unit),
               "predicates": [edit.stores], "at": {"file": file, "line": line}}
    reply = json.loads(subprocess.run([ANALYZER], input=json.dumps(request) + "\n", text=True, capture_output=True, check=True).stdout)
    if reply["errors"]:
        sys.exit(f"check.py: {edit.name}: {reply['errors'][0]}")
    at = [c for c in reply["candidates"] if any(p["line"] == line and p["file"].endswith(file) for p in c["start"])]
    # Copies by inlining agree as a rule; the function's own comes first.
    at.sort(key=lambda c: (len(c["start"]), not c["confirmed"]))
    return at[0] if at else None


def compiled(unit, obj, line, end):
    """Remarks at the loop's lines and the object, by clang itself."""
    args = arguments(unit)
    compiler = "clang++-19" if args[0].endswith("++") else "clang-19"
    args = [compiler] + args[1:]
    args[args.index("-o") + 1] = obj
    args += ["-w", "-gline-tables-only", "-Rpass=loop-vectorize|loop-idiom|loop-delete"]
    out = subprocess.run(args, cwd=unit["directory"], text=True, capture_output=True, errors="replace")
    if out.returncode:
        sys.exit(f"check.py: {shlex.join(args)}\n{out.stderr[-2000:]}")
    name = os.path.basename(unit["file"])
    remarks = set()
    for m in re.finditer(r"^(\S+?):(\d+):\d+: remark: (.*?) \[-Rpass=([\w-]+)\]", out.stderr, re.M):
        if os.path.basename(m[1]) == name and line <= int(m[2]) <= end:
            remarks.add("vectorised" if m[4] == "loop-vectorize" and m[3].startswith("vectorized") else "idiom" if m[4] == "loop-idiom" else "")
    return remarks - {""}


def reading_instructions(obj, function):
    """Instructions with a memory operand that is read, in functions of that name."""
    text = subprocess.run(["objdump", "-dC", "--no-show-raw-insn", obj], text=True, capture_output=True, check=True).stdout
    count, inside = 0, False
    for line in text.splitlines():
        m = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if m:
            inside = function in m[1]
        elif inside and "(" in line:
            code = line.split(":", 1)[1].split("#")[0].split("<")[0].strip()
            op, _, operands = code.partition(" ")
            stores = op.startswith("mov") and operands.rstrip().endswith(")")
            if not stores and not op.startswith(("lea", "nop", "cs", "data16", "call", "jmp")):
                count += 1
    return count


def fate(state):
    if state is None:
        return "gone"
    if state["idiom"]:
        return "idiom"
    if state["vectorised"]:
        return f"vectorised ×{state['vector_width']}"
    if state["present"]:
        return f"{state['loads_per_iteration']:.3g} loads"
    return "unknown"


def agrees(predicted, edited, remarks):
    """Exactly as predicted, better than predicted, or not as predicted."""
    if predicted["idiom"]:
        return "yes" if edited is None and "idiom" in remarks or edited is not None and edited["idiom"] else "no"
    if edited is None or not edited["present"]:
        return "better" if "idiom" in remarks or edited is not None and edited["idiom"] else "no"
    if predicted["vectorised"] != edited["vectorised"]:
        return "better" if edited["vectorised"] else "no"
    if predicted["vectorised"] and ("vectorised" in remarks) != predicted["vectorised"]:
        return "no"
    difference = edited["loads_per_iteration"] - predicted["loads_per_iteration"]
    return "yes" if abs(difference) < 0.5 else "better" if difference < 0 else "no"


def check(edit, package, directory):
    tree, build = (os.path.join(directory, package + tail) for tail in ("", "-build"))
    source = os.path.realpath(os.path.join(tree, edit.file))
    unit = unit_of(build, source)
    before = facts(edit, unit, edit.file, edit.line)
    if before is None or edit.world not in before["worlds"]:
        return f"| {edit.name} | {edit.file}:{edit.line} | | the loop is not found | | | | no |"
    obj = os.path.join(directory, f"{package}-{edit.name}.o")
    before_remarks = compiled(unit, obj, edit.line, edit.line + 8)
    before_reads = reading_instructions(obj, edit.function)
    patch = ["patch", "--quiet", "-p1", "-d", tree, "-i", edit.path]
    subprocess.run(patch, check=True)
    try:
        after = facts(edit, unit, edit.file, edit.edited_line)
        edited_obj = obj[:-2] + "-edited.o"
        remarks = compiled(unit, edited_obj, edit.edited_line, edit.edited_line + 8)
        reads = reading_instructions(edited_obj, edit.function)
    finally:
        subprocess.run(patch + ["-R"], check=True)
    predicted = before["worlds"][edit.world]
    edited = after and after["worlds"]["written"]
    verdict = agrees(predicted, edited, remarks)
    said = lambda r: ", ".join(sorted(r)) or "nothing"
    return (f"| {package}/{edit.name} | {edit.file}:{edit.line} | {'confirmed' if before['confirmed'] else 'not confirmed'}, {edit.world}: "
            f"{fate(before['worlds']['written'])} → {fate(predicted)} | {fate(edited)} | {said(before_remarks)} → {said(remarks)} | {f'{before_reads} → {reads}' if before_reads or reads else 'inlined'} | {verdict} |")


def main():
    directory = os.path.realpath(sys.argv[1])
    packages = sys.argv[2:] or sorted(os.listdir(os.path.join(HERE, "edits")))
    print("| edit | loop | prediction | edited source | clang's remarks there | instructions of the function that read memory | as predicted |\n|---|---|---|---|---|---|---|")
    total = good = 0
    for package in packages:
        if not os.path.exists(os.path.join(directory, package + "-build", "compile_commands.json")):
            subprocess.run([os.path.join(HERE, "sources.sh"), package, directory], check=True)
        folder = os.path.join(HERE, "edits", package)
        for name in sorted(os.listdir(folder)):
            row = check(Edit(os.path.join(folder, name)), package, directory)
            total += 1
            good += not row.endswith("| no |")
            print(row, flush=True)
    print(f"\n{good} of {total} edits did what was predicted or more.")


if __name__ == "__main__":
    main()
