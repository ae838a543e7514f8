"""Measures for bench/collect/run.sh; prints what bench/collect.md quotes."""

import json
import math
import os
import pathlib
import random
import re
import resource
import statistics
import subprocess
import sys

WHYHOT, WORK = sys.argv[1], sys.argv[2]
PARTS = sys.argv[3:] or ["truth", "overhead", "collector"]
DIR = pathlib.Path(WORK).parent
PAIRS = int(os.environ.get("PAIRS", "11"))
ROUNDS = os.environ.get("ROUNDS", "3000")
SECONDS = os.environ.get("SECONDS_EACH", "60")


def run(*cmd, **kw):
    """Runs a command; gives its output and the CPU seconds of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(cmd, capture_output=True, text=True, check=True, **kw)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, cpu


def interval(ratios):
    """Median and its 95 % interval by bootstrap."""
    rng = random.Random(1)
    medians = sorted(statistics.median(rng.choices(ratios, k=len(ratios))) for _ in range(10000))
    return statistics.median(ratios), medians[250], medians[9749]


def inclusive(path):
    """Functions with their inclusive share, and the number of samples."""
    out, _ = run(WHYHOT, "top", "--json", "--sort", "total", "-n", "0", path)
    data = json.loads(out.stdout)
    shares = {}
    for f in data["functions"]:
        name = f.get("function", "[" + f.get("binary", "?") + "]")
        shares[name] = shares.get(name, 0) + f["total"] / data["total"]
    return shares, data["total"]


def truth():
    """Pools interleaved recordings by both samplers and compares inclusive shares."""
    pooled = {"ebpf": [], "perf": []}
    for i in range(6):
        for name in random.Random(i).sample(sorted(pooled), 2):
            path = str(DIR / f"{name}.pb.gz")
            extra = ["--call-graph", "dwarf,32768"] if name == "perf" else []
            run(WHYHOT, "record", "--sampler", name, "-F", "199", *extra, "-o", path, "--", WORK, ROUNDS)
            shares, total = inclusive(path)
            pooled[name].append((shares, total * 199 / 1e9))
    n = {k: sum(w for _, w in v) for k, v in pooled.items()}
    mean = {k: lambda f, k=k: sum(s.get(f, 0) * w for s, w in pooled[k]) / n[k] for k in pooled}
    names = {f for s, _ in pooled["perf"] for f in s} | {f for s, _ in pooled["ebpf"] for f in s}
    roots = [f for f in names if re.fullmatch(r"_start|(__)?clone3?|start_thread|thread_start", f)]
    print(f"samples: ebpf {n['ebpf']:.0f}, perf {n['perf']:.0f}")
    for k in pooled:
        cut = mean[k]("[truncated stack]")
        rooted = mean[k]("_start") + max((mean[k](f) for f in roots if f != "_start"), default=0)
        print(f"{k}: {100 * rooted:.2f} % of the samples reach _start or the start of their thread, {100 * cut:.2f} % are cut")
    top = sorted(names - {"[truncated stack]"}, key=lambda f: -mean["perf"](f))[:20]
    worst, outside = 0, 0
    for f in top:
        a, b = mean["ebpf"](f), mean["perf"](f)
        p = (a * n["ebpf"] + b * n["perf"]) / (n["ebpf"] + n["perf"])
        se = math.sqrt(max(p * (1 - p), 1e-9) * (1 / n["ebpf"] + 1 / n["perf"]))
        z = (a - b) / se
        worst, outside = max(worst, abs(z)), outside + (abs(z) > 1.96 and abs(a - b) > 0.002)
        print(f"  {100 * a:6.2f} % {100 * b:6.2f} %  z {z:+5.2f}  {f[:70]}")
    print(f"top 20 inclusive: {outside} outside the 95 % sampling error, largest |z| {worst:.2f}")


def overhead():
    """CPU seconds of the same work with and without, in pairs of random order."""
    for hz in ("19", "99"):
        ratios, collector = [], []
        rng = random.Random(7)
        for _ in range(PAIRS):
            pair = {}
            for mode in rng.sample(["with", "without"], 2):
                if mode == "without":
                    done, _ = run(WORK, ROUNDS)
                    pair[mode] = float(done.stdout)
                else:
                    done, cpu = run(WHYHOT, "record", "--sampler", "ebpf", "--no-symbols", "-F", hz, "-o",
                                    str(DIR / "overhead.pb.gz"), "--", WORK, ROUNDS)
                    pair[mode] = float(done.stdout)
                    collector.append(cpu - pair[mode])
            ratios.append(pair["with"] / pair["without"])
        median, low, high = interval(ratios)
        print(f"{hz} Hz: CPU of the program with / without {median:.4f} ({low:.4f} to {high:.4f}), {len(ratios)} pairs;"
              f" whyhot itself, loading and writing included, {statistics.median(collector):.2f} s of CPU a recording")


def collector():
    """The same minute of a busy machine by both: bytes, CPU of the collector, loss."""
    busy = subprocess.Popen([WORK, "100000000"], stdout=subprocess.DEVNULL)
    try:
        out = DIR / "machine.pb.gz"
        done, cpu = run(WHYHOT, "record", "--sampler", "ebpf", "--no-symbols", "-a", "-F", "99", "-d", SECONDS, "-o", str(out))
        lost = re.search(r"([\d,]+) lost", done.stderr)
        samples = re.search(r"([\d,]+) samples", done.stderr)
        print(f"ebpf: {out.stat().st_size / 1e6:.2f} MB, {cpu:.1f} s of CPU, {samples.group(1)} samples, {lost.group(1) if lost else 0} lost")
        data = DIR / "machine.data"
        _, cpu = run("perf", "record", "-q", "-a", "-e", "cpu-clock", "-F", "99", "--call-graph", "dwarf", "-B", "-o", str(data), "sleep", SECONDS)
        stats, _ = run("perf", "report", "-i", str(data), "--stats")
        count = {k: int(n) for k, n in re.findall(r"^\s*(SAMPLE|LOST) events:\s+(\d+)", stats.stdout, re.M)}
        print(f"perf: {data.stat().st_size / 1e6:.2f} MB, {cpu:.1f} s of CPU, {count.get('SAMPLE', 0):,} samples (idle ones included), {count.get('LOST', 0)} losses")
        _, cpu = run(WHYHOT, "top", "--no-symbols", "-n", "1", str(data))
        print(f"perf: {cpu:.1f} s of CPU more to unwind the copied stacks afterwards (whyhot's reader)")
        data.unlink()
    finally:
        busy.kill()
        busy.wait()


for part in PARTS:
    print(f"== {part}", flush=True)
    {"truth": truth, "overhead": overhead, "collector": collector}[part]()
