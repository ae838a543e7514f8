"""How a pair is measured, and where the results are kept; baselines.py runs it.

The two sides of a pair run in turn, in random order within a round; the ratio is that
of the medians of CPU time (user + system of the child), baseline over variant, with a
bootstrap 95 % interval: CPU time, because other work may share the machine. Results go
to catalog/trials.json, where a pair that is measured again takes the place of the older
result, and as a table to bench/catalog.md.
"""
import datetime
import fcntl
import json
import os
import random
import resource
import statistics
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
RESULTS = os.path.join(TOP, "catalog", "trials.json")
TABLE = os.path.join(TOP, "bench", "catalog.md")
WHYHOT = os.path.join(TOP, "bin", "whyhot")


def inputs(w):
    rnd = random.Random(1)
    recs = [{"id": i, "name": f"user{i}", "score": rnd.random() * 100, "tags": ["a", "b", str(i % 7)],
             "nested": {"x": i, "y": [1, 2, 3.5]}} for i in range(60000)]
    with open(w.file("data.json"), "w") as f:
        json.dump(recs, f)
    with open(w.file("data.txt"), "w") as f:
        for i in range(400000):
            f.write("%d,%s,%f\n" % (i * 7919 % 1500007, rnd.choice(["alpha", "beta", "gamma"]) * 3, rnd.random()))
    with open(w.file("data.xml"), "w") as f:
        f.write("<r>" + "".join(f'<i id="{i}"><n>user{i}</n></i>' for i in range(300000)) + "</r>")
    with open(w.file("words.txt"), "w") as f:
        for i in range(2000000):
            f.write("%d %s %d\n" % (i * 7919 % 1500007, ("alpha", "beta", "gamma")[i % 3], rnd.randrange(10000)))
    with open(w.file("a.js"), "w") as f:
        f.write("const s=require('fs').readFileSync('%s','utf8');let n=0;for(let i=0;i<5;i++){n+=JSON.stringify(JSON.parse(s)).length}console.log(n)" % w.file("data.json"))
    os.makedirs(w.file("locales"), exist_ok=True)
    subprocess.run(["localedef", "-i", "en_US", "-f", "UTF-8", w.file("locales/en_US.UTF-8")], check=False, stderr=subprocess.DEVNULL)
    os.makedirs(w.file("mold"), exist_ok=True)
    if not os.path.lexists(w.file("mold/ld")):
        os.symlink(w.root + "/usr/bin/mold", w.file("mold/ld"))
    subprocess.run([w.python, "-c", "from PIL import Image; Image.effect_noise((3000, 2000), 60).convert('RGB').save('%s')" % w.file("photo.jpg")], check=True)


def cpu(side):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(side.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env={**os.environ, **side.env}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def interval(a, b, rnd):
    ratios = sorted(statistics.median(rnd.choices(a, k=len(a))) / max(1e-3, statistics.median(rnd.choices(b, k=len(b)))) for _ in range(2000))
    return ratios[50], ratios[1949]


def explained(profile, entry):
    """The share that the entry has of a profile, and what its fix can reach; nothing
    where there is no finding."""
    told = subprocess.run([WHYHOT, "explain", "--all", "--json", profile], capture_output=True, text=True, check=True)
    best = {}
    for f in json.loads(told.stdout).get("findings") or []:
        share = f["share"].get("inclusive") or f["share"].get("exclusive")
        if f["rule"] == entry and share > best.get("share", 0):
            best = {"share": round(share, 4)}
            if "reach" in (f.get("gain") or {}):
                best["reach"] = f["gain"]["reach"]
    return best


def measure(pair, w, rounds, rnd):
    for side in (pair.baseline, pair.variant):
        cpu(side)  # warm-up, and a look whether it is there
    a, b = [], []
    for _ in range(rounds):
        for which in rnd.sample([0, 1], 2):
            (a, b)[which].append(cpu((pair.baseline, pair.variant)[which]))
    low, high = interval(a, b, rnd)
    return {"entry": pair.entry, "workload": pair.workload, "baseline": pair.baseline.what, "variant": pair.variant.what,
            "date": datetime.date.today().isoformat(), "rounds": rounds, "seconds": round(statistics.median(a), 3),
            "ratio": round(statistics.median(a) / max(1e-3, statistics.median(b)), 3), "low": round(low, 3), "high": round(high, 3)}


def known():
    try:
        with open(RESULTS) as f:
            return json.load(f)
    except FileNotFoundError:
        return []


def key(r):
    return r["entry"], r["workload"], r["baseline"], r["variant"]


def add(result):
    """Several runs may add at the same time."""
    with open(TABLE) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return write([*(r for r in known() if key(r) != key(result)), result])


def write(results):
    results.sort(key=key)
    text = "[\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in results) + "\n]\n"
    with open(RESULTS + ".new", "w") as f:
        f.write(text)
    os.replace(RESULTS + ".new", RESULTS)
    rows = ["| entry | workload | baseline | variant | baseline CPU | ratio | 95% | share | date |", "|---|---|---|---|---|---|---|---|---|"]
    for r in results:
        share = f"{100 * r['share']:.0f}%" if "share" in r else "–"
        rows.append(f"| {r['entry']} | {r['workload']} | {r['baseline']} | {r['variant']} | {r['seconds']:.2f} s | {r['ratio']:.2f}× | {r['low']:.2f} to {r['high']:.2f} | {share} | {r['date']} |")
    with open(TABLE) as f:
        before, rest = f.read().split("<!-- table -->")
        after = rest.split("<!-- end -->")[1]
    with open(TABLE, "r+") as f:  # in place: the lock is on this file
        f.truncate()
        f.write(before + "<!-- table -->\n" + "\n".join(rows) + "\n<!-- end -->" + after)
    return len({r["entry"] for r in results})
