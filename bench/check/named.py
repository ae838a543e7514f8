#!/usr/bin/env python3
"""Whether `whyhot check` names the function that became slower.

  named.py run WHYHOT OUT [PROGRAM...]   one check for each seed of programs.py
  named.py table OUT...                  the table of bench/check.md

Each check takes a real program, adds work to one of its functions so that the whole takes
5 or 10% more CPU time, and compares the function that the check names first with that
one. How much work that is, is measured before. OUT gets one line of JSON a check, as it
ends; a second run makes the checks that OUT lacks. Environment: SOURCES, a directory with
git repositories such as SOURCES/lua+lua/repo; COUNT, at most so many checks; BUDGET (75s).
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from programs import PROGRAMS
from prove import git, median, wilson

# The work of a seed, in the languages: {k} turns of it. A library's function takes it where
# its kind is alloc, copy, map or string.
C = {
    "work": "static volatile unsigned seeded_s, seeded_n = {k}u; unsigned seeded_h = seeded_s; for (unsigned seeded_i = 0, seeded_m = seeded_n; seeded_i < seeded_m; seeded_i++) seeded_h = seeded_h * 31u + seeded_i; seeded_s = seeded_h;",
    "alloc": "for (unsigned seeded_i = 0; seeded_i < {k}u; seeded_i++) {{ char *volatile seeded_p = (char *)malloc(40 + seeded_i % 32); if (seeded_p) seeded_p[0] = 1; free(seeded_p); }}",
    "copy": "static char seeded_a[512], seeded_b[512]; for (unsigned seeded_i = 0; seeded_i < {k}u; seeded_i++) {{ memcpy(seeded_a, seeded_b + seeded_i % 64, 300 + seeded_i % 32); __asm__ volatile(\"\" ::: \"memory\"); }}",
}
CALLS_C = "{{ static unsigned seeded_c; if ((seeded_c++ & {m}u) == 0) {{ %s }} }}\n"
GO = {
    "work": "seededH := seededS; for seededI := uint32(0); seededI < {k}; seededI++ {{ seededH = seededH*31 + seededI }}; seededS = seededH",
    "alloc": "for seededI := 0; seededI < {k}; seededI++ {{ seededP = make([]byte, 40+seededI%32) }}",
    "map": "for seededI := 0; seededI < {k}; seededI++ {{ seededM[seededI%97] += seededI }}",
}
JS = {
    "work": "let seededH = 1; for (let seededI = 0; seededI < {k}; seededI++) seededH = (seededH * 31 + seededI) | 0; globalThis.seeded = seededH;",
    "string": "for (let seededI = 0; seededI < {k}; seededI++) globalThis.seeded = \"x\" + seededI;",
}
JAVA = {
    "work": "int seededH = seeded.Sink.s; for (int seededI = 0; seededI < {k}; seededI++) seededH = seededH * 31 + seededI; seeded.Sink.s = seededH;",
    "string": "for (int seededI = 0; seededI < {k}; seededI++) seeded.Sink.o = new StringBuilder().append(seededI).toString();",
}
RUST = {
    "work": "let mut seeded_h = std::hint::black_box(1u32); for seeded_i in 0..std::hint::black_box({k}u32) {{ seeded_h = seeded_h.wrapping_mul(31).wrapping_add(seeded_i); }} std::hint::black_box(seeded_h);",
    "alloc": "for seeded_i in 0..{k}usize {{ std::hint::black_box(vec![0u8; 40 + seeded_i % 32]); }}",
}
PYTHON = {
    "work": "seeded_h = 1\nfor seeded_i in range({k}): seeded_h = (seeded_h * 31 + seeded_i) & 65535\n",
    "call": "for seeded_i in range({k}): str(seeded_i).strip()\n",
}
# The work of each language; around it, where it is done on each (m+1)-th call; what begins
# and what ends the file.
LANGUAGES = {
    "c": (C, CALLS_C, "#include <stdlib.h>\n#include <string.h>\n", ""),
    "c++": (C, CALLS_C, "#include <stdlib.h>\n#include <string.h>\n", ""),
    "go": (GO, "if seededC++; seededC&{m} == 0 {{ %s }}\n", "", "\nvar (\n\tseededC, seededS uint32\n\tseededP []byte\n\tseededM = map[int]int{}\n)\n"),
    "node": (JS, "globalThis.seededC = (globalThis.seededC | 0) + 1; if ((globalThis.seededC & {m}) === 0) {{ %s }}\n", "", ""),
    "java": (JAVA, "if ((seeded.Sink.c++ & {m}) == 0) {{ %s }}\n", "", ""),
    "rust": (RUST, "{{ static SEEDED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0); if SEEDED.fetch_add(1, std::sync::atomic::Ordering::Relaxed) & {m} == 0 {{ %s }} }}\n", "", ""),
}
SINK = "package seeded;\n\npublic class Sink {\n    public static int c, s;\n    public static Object o;\n}\n"


def seeded(text, language, seed, k, m):
    """A file with k turns of work on each (m+1)-th call of the seed's function."""
    _, _, anchor, kind, _, _ = seed
    found = list(re.finditer(anchor, text, re.S))
    if len(found) != 1:
        raise ValueError(f"{anchor} is {len(found)} times in the file")
    at = found[0].end()
    if language == "python":
        indent = re.match(r"\s*", text[at:].lstrip("\n")).group()
        return text[:at] + "".join(indent + line + "\n" for line in PYTHON[kind].format(k=k).splitlines()) + text[at:]
    work, calls, begin, end = LANGUAGES[language]
    return begin + text[:at] + (calls % work[kind]).format(k=k, m=m) + text[at:] + end


def prepare(p, at):
    at.mkdir()
    subprocess.run(["sh", "-c", p["fetch"]], cwd=at, check=True, capture_output=True)
    files = {**p["files"], ".gitignore": p["ignore"] + "\n"}
    if p["language"] == "java":
        files["seeded/Sink.java"] = SINK
    for file, text in files.items():
        (at / file).parent.mkdir(parents=True, exist_ok=True)
        (at / file).write_text(text)
    if "prepare" in p:
        subprocess.run(["python3", "-c", p["prepare"]], cwd=at, check=True)


def build(p, at):
    if p["build"]:
        subprocess.run(["sh", "-c", p["build"]], cwd=at, check=True, capture_output=True)


def seconds(p, sides, rounds):
    """The CPU time of a run of each side, medians of interleaved runs."""
    took = [[] for _ in sides]
    for _ in range(rounds):
        for side, list_ in zip(sides, took):
            was = os.times()
            subprocess.run(p["run"], cwd=side, check=True, capture_output=True)
            now = os.times()
            list_.append(now.children_user + now.children_system - was.children_user - was.children_system)
    return [median(t) for t in took]


def amount(p, base, seed, scratch):
    """The turns that make the whole slower by the seed's percentage, and on which calls."""
    name, file, _, _, percent, _ = seed
    text = (base / file).read_text()
    k = 100
    for _ in range(6):
        shutil.rmtree(scratch, ignore_errors=True)
        shutil.copytree(base, scratch, symlinks=True)
        (scratch / file).write_text(seeded(text, p["language"], seed, k, 0))
        build(p, scratch)
        was, now = seconds(p, (base, scratch), 5)
        more = (now - was) / was
        # Much more than noise, and from there in proportion.
        if 0.4 < more < 10:
            k, m = k * percent / 100 / more, 0
            while k < 8 and m < 255 and p["language"] != "python":
                k, m = k * 16, m * 16 + 15
            return max(1, round(k)), m
        k = k * 8 if more <= 0.4 else max(1, k // 8)
    raise ValueError(f"{name}: no amount of work found that makes {percent}%")


def names(seed, function):
    """Whether a function is the seed's, or one into which it is inlined."""
    return any(re.search(r"(^|[^\w])" + n + r"($|[^\w])", function) for n in (seed[0], *seed[-1]))


def check(whyhot, program, seed):
    p = PROGRAMS[program]
    name, file, _, kind, percent, _ = seed
    row = {"program": program, "language": p["language"], "seed": name, "kind": kind, "percent": percent}
    with tempfile.TemporaryDirectory(prefix="check-named-") as d:
        at, scratch = pathlib.Path(d) / program, pathlib.Path(d) / "scratch"
        try:
            prepare(p, at)
            git(at, "init", "-q")
            git(at, "add", "-A")
            git(at, "commit", "-qm", "base")
            build(p, at)
            row["turns"], row["mask"] = amount(p, at, seed, scratch)
        except (ValueError, subprocess.CalledProcessError) as e:
            return {**row, "error": str(e) + str(getattr(e, "stderr", "") or "")[-500:]}
        (at / file).write_text(seeded((at / file).read_text(), p["language"], seed, row["turns"], row["mask"]))
        command = [whyhot, "check", "--base", "HEAD", "--json", "--limit", "0%", "--budget", os.environ.get("BUDGET", "75s"), "--markdown", str(pathlib.Path(d) / "comment.md")]
        if p["build"]:
            command += ["--build", p["build"]]
        out = subprocess.run([*command, "--", *p["run"]], cwd=at, capture_output=True, text=True)
        row.update({"exit": out.returncode, "load": os.getloadavg()[0]})
        if out.returncode not in (0, 1):
            return {**row, "error": out.stderr[-1000:]}
        r = json.loads(out.stdout)
        row.update({k: r.get(k) for k in ("verdict", "says", "ratio", "low", "high", "elapsed_seconds", "notes")})
        k = r["commands"][0]
        row.update({"rounds": k["rounds"], "seconds": k.get("before"), "layouts": k.get("across_layouts")})
        row["functions"] = [{x: f.get(x) for x in ("name", "before", "after", "delta", "p", "edited")} for f in r.get("functions", [])][:6]
        row["moved"] = [f["name"] for f in r.get("moved", [])][:6]
        row["right"] = bool(row["functions"]) and names(seed, row["functions"][0]["name"])
        return row


def table(rows):
    print("| program | seed | work | added | verdict | ratio (98% CI) | named first |\n|---|---|---|---|---|---|---|")
    for r in rows:
        if "error" in r:
            print(f"| {r['program']} | `{r['seed']}` | {r['kind']} | {r['percent']}% | failed | | |")
            continue
        ratio = f"{r['ratio']:.3f} ({r['low']:.3f} to {r['high']:.3f})" if r.get("low") else ""
        first = "the seed" if r["right"] else f"`{r['functions'][0]['name']}`" if r["functions"] else "nothing" if r["verdict"] == "slower" else ""
        print(f"| {r['program']} ({r['language']}) | `{r['seed']}` | {r['kind']} | {r['percent']}% | {r['verdict']} | {ratio} | {first} |")
    slower = [r for r in rows if r.get("verdict") == "slower"]
    right = sum(r["right"] for r in slower)
    low, high = wilson(right, len(slower))
    print(f"\n{len(slower)} of {len(rows)} slower; of these {right} right: {100 * right / max(1, len(slower)):.0f}% ({100 * low:.0f} to {100 * high:.0f})")


def main():
    if sys.argv[1] == "table":
        table([json.loads(line) for p in sys.argv[2:] for line in open(p)])
        return
    whyhot, out = os.path.abspath(sys.argv[2]), sys.argv[3]
    have = [json.loads(line) for line in open(out)] if os.path.exists(out) else []
    made = {(r["program"], r["seed"]) for r in have}
    # Programs take turns.
    wanted = [(n, PROGRAMS[n]) for n in sys.argv[4:] or PROGRAMS]
    left = [(n, p["seeds"][i]) for i in range(max(len(p["seeds"]) for _, p in wanted)) for n, p in wanted if i < len(p["seeds"]) and (n, p["seeds"][i][0]) not in made]
    with open(out, "a") as f:
        for program, seed in left[: int(os.environ.get("COUNT", len(left)))]:
            f.write(json.dumps(check(whyhot, program, seed)) + "\n")
            f.flush()


if __name__ == "__main__":
    main()
