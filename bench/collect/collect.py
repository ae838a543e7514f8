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
import tempfile
import time

WHYHOT, WORK = sys.argv[1], sys.argv[2]
PARTS = sys.argv[3:] or ["truth", "overhead", "agent", "starts", "collector"]
DIR = pathlib.Path(WORK).parent
PAIRS = int(os.environ.get("PAIRS", "20"))
ROUNDS = os.environ.get("ROUNDS", "3000")
OVERHEAD_ROUNDS = os.environ.get("OVERHEAD_ROUNDS", "9000")  # the noise of a run falls with its length
FREQUENCIES = os.environ.get("FREQUENCIES", "19 99").split()
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


def cpu_of(pid):
    """CPU seconds of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Agent:
    """An agent that sends to a receiver of its own, recording and settled when entered.

    The receiver keeps what it has from one to the next, so that only the first uploads
    the symbols of what runs here."""

    def __init__(self, hz):
        self.hz = hz

    def __enter__(self):
        self.dir = tempfile.TemporaryDirectory()
        address, log = "127.0.0.1:14377", open(self.dir.name + "/agent.log", "w+")
        self.receiver = subprocess.Popen([WHYHOT, "receive", "--listen", address, "--listen-http", "", "-o", str(DIR / "received")],
                                         stderr=subprocess.DEVNULL)
        self.agent = subprocess.Popen([WHYHOT, "agent", "--to", address, "-F", self.hz, "--spool", self.dir.name + "/spool"], stderr=log)
        while "recording at" not in pathlib.Path(log.name).read_text():
            if self.agent.poll() is not None:
                sys.exit(pathlib.Path(log.name).read_text())
            time.sleep(0.1)
        time.sleep(10)  # it has read what runs by then
        return self

    def cpu(self):
        return cpu_of(self.agent.pid)

    def memory(self):
        """Peak resident memory in MiB."""
        status = pathlib.Path(f"/proc/{self.agent.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def kernel(self):
        """Runs and nanoseconds of the agent's BPF programs, while the kernel counts them."""
        runs, ns = {}, {}
        for info in pathlib.Path(f"/proc/{self.agent.pid}/fdinfo").iterdir():
            fields = dict(line.split(":", 1) for line in info.read_text().splitlines() if ":" in line)
            if int(fields.get("run_cnt", 0)):
                runs[fields["prog_id"]], ns[fields["prog_id"]] = int(fields["run_cnt"]), int(fields["run_time_ns"])
        return runs, ns

    def __exit__(self, *_):
        for process in (self.agent, self.receiver):
            process.terminate()
            process.wait()
        self.dir.cleanup()


def overhead():
    """CPU seconds of the same work with and without the agent, in pairs of random order."""
    for hz in FREQUENCIES:
        ratios, rng, used, seconds = [], random.Random(7), 0.0, 0.0
        for _ in range(PAIRS):
            pair = {}
            for mode in rng.sample(["with", "without"], 2):
                if mode == "without":
                    pair[mode] = float(run(WORK, OVERHEAD_ROUNDS)[0].stdout)
                    continue
                with Agent(hz) as agent:
                    begin, cpu = time.monotonic(), agent.cpu()
                    pair[mode] = float(run(WORK, OVERHEAD_ROUNDS)[0].stdout)
                    used, seconds = used + agent.cpu() - cpu, seconds + time.monotonic() - begin
            ratios.append(pair["with"] / pair["without"])
        median, low, high = interval(ratios)
        print(f"{hz} Hz: CPU of the program with / without the agent {median:.4f} ({low:.4f} to {high:.4f}), {len(ratios)} pairs;"
              f" the agent itself meanwhile {100 * used / seconds:.2f} % of a core", flush=True)


def agent():
    """What the agent takes by itself: idle, and with every core busy; and in the kernel a sample."""
    counting = pathlib.Path("/proc/sys/kernel/bpf_stats_enabled")
    for hz in FREQUENCIES:
        with Agent(hz) as one:
            for name, load in (("idle", None), ("busy", [WORK, "100000000"])):
                busy = load and subprocess.Popen(load, stdout=subprocess.DEVNULL)
                try:
                    time.sleep(10)
                    before = one.cpu()
                    time.sleep(60)
                    print(f"{hz} Hz, machine {name}: {100 * (one.cpu() - before) / 60:.2f} % of a core, peak {one.memory():.0f} MiB", flush=True)
                    if not busy:
                        continue
                    counting.write_text("1")
                    _, before = one.kernel()
                    time.sleep(20)
                    _, after = one.kernel()
                    counting.write_text("0")
                    spent = sum(after.values()) - sum(before.values())
                    samples = int(hz) * os.cpu_count() * 20
                    print(f"{hz} Hz: {spent / samples / 1e3:.1f} µs in the kernel a sample ({samples} samples)", flush=True)
                finally:
                    if busy:
                        busy.kill()
                        busy.wait()


STARTER = """
import subprocess, sys, time
rate, at = float(sys.argv[1]), time.monotonic()
while True:
    subprocess.Popen(["/bin/true"]).wait()
    at += 1 / rate
    time.sleep(max(0, at - time.monotonic()))
"""


BUILD = """
dir=$(mktemp -d) i=0
trap 'rm -rf "$dir"' EXIT
while :; do
  i=$((i + 1))
  printf '#include <stdio.h>\\nint main(void) { printf("%d"); return 0; }\\n' $i > "$dir/t.c"
  name=$(echo "x$i" | sed s/x/y/)
  test -n "$name" && gcc -O1 -o "$dir/t" "$dir/t.c" && "$dir/t" > "$dir/out"
  grep -c $i "$dir/out" > /dev/null
  uname -a | cut -c1-5 > /dev/null
done
"""


def starts():
    """What the agent takes where processes start and end all the time, at 19 Hz: at two
    rates of /bin/true, and where many small files are compiled."""
    with Agent("19") as one:
        time.sleep(60)  # it reads the tables of what runs first
        for name, load in (
            ("nothing else", None),
            ("/bin/true", [sys.executable, "-c", STARTER, "50"]),
            ("/bin/true", [sys.executable, "-c", STARTER, "400"]),
            ("compiling", ["bash", "-c", BUILD]),
        ):
            running = load and subprocess.Popen(load)
            try:
                time.sleep(15)
                before, started = one.cpu(), processes()
                time.sleep(60)
                print(f"19 Hz, {name}, {(processes() - started) / 60:.0f} processes/s: {100 * (one.cpu() - before) / 60:.2f} % of a core, peak {one.memory():.0f} MiB", flush=True)
            finally:
                if running:
                    running.terminate()
                    running.wait()


def processes():
    """How many have been started since the machine was."""
    return int(re.search(r"^processes (\d+)", pathlib.Path("/proc/stat").read_text(), re.M).group(1))


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
    {"truth": truth, "overhead": overhead, "agent": agent, "starts": starts, "collector": collector}[part]()
