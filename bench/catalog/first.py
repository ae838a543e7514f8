#!/usr/bin/env python3
"""The pairs that baselines.py keeps profiles of; run.py has the others.

Every pair runs in turn, in random order within a round; the number is the ratio
of medians of CPU time (user + system of the child), baseline over variant, with
a bootstrap 95 % interval. Needs: g++, node, pigz, libdeflate-tools,
python3-yaml, xmllint, jq, mimalloc, jemalloc and tcmalloc from Debian, and
orjson for the python3 on the path (skipped where it is missing).
"""
import json, os, random, resource, shutil, statistics, subprocess, sys, tempfile

ROUNDS = int(os.environ.get("ROUNDS", "7"))
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = tempfile.mkdtemp(prefix="whyhot-bench-")
LIB = "/usr/lib/x86_64-linux-gnu/"


def path(name):
    return os.path.join(WORK, name)


def inputs():
    rnd = random.Random(1)
    recs = [{"id": i, "name": f"user{i}", "score": rnd.random() * 100, "tags": ["a", "b", str(i % 7)],
             "nested": {"x": i, "y": [1, 2, 3.5]}} for i in range(60000)]
    with open(path("data.json"), "w") as f:
        json.dump(recs, f)
    with open(path("data.txt"), "w") as f:
        for i in range(400000):
            f.write("%d,%s,%f\n" % (i * 7919 % 1500007, rnd.choice(["alpha", "beta", "gamma"]) * 3, rnd.random()))
    with open(path("data.xml"), "w") as f:
        f.write("<r>" + "".join(f'<i id="{i}"><n>user{i}</n></i>' for i in range(300000)) + "</r>")
    with open(path("a.js"), "w") as f:
        f.write("const s=require('fs').readFileSync('%s','utf8');let n=0;for(let i=0;i<10;i++){n+=JSON.stringify(JSON.parse(s)).length}console.log(n)" % path("data.json"))
    subprocess.run(["g++", "-O2", "-std=c++20", "-o", path("pairs"), os.path.join(HERE, "programs", "pairs.cpp"), "-lz"], check=True)


def py(code):
    return ["python3", "-c", code]


def pairs():
    d, t, p = path("data.json"), path("data.txt"), path("pairs")
    yaml = "import yaml;s='\\n'.join('- {a: %%d, b: [x, y], c: {k: v%%d}}' %% (i, i) for i in range(2500));yaml.load(s,Loader=yaml.%s)"
    jsn = "import %s as json;s=open('" + d + "','rb').read();[json.dumps(json.loads(s)) for _ in range(4)]"
    def env(**kw):
        return kw
    preload = lambda so: env(LD_PRELOAD=LIB + so)
    for name, cmd in (("jq", ["jq", "-c", "group_by(.tags[2])|map(length)", d]), ("xmllint", ["xmllint", "--noout", path("data.xml")]),
                      ("perl", ["perl", "-ne", "my @f=split /,/; $h{$f[1]}.=$f[2]; push @a,[@f]; END{print scalar @a}", t]), ("std::map", [p, "map"])):
        for so, lib in (("libmimalloc.so.2", "mimalloc"), ("libjemalloc.so.2", "jemalloc"), ("libtcmalloc_minimal.so.4", "tcmalloc")):
            yield "glibc-malloc", f"{name}: {lib}", (cmd, {}), (cmd, preload(so))
    yield "python-json", "loads+dumps: orjson", (py(jsn % "json"), {}), (py(jsn % "orjson"), {})
    yield "python-yaml-c", "safe_load: CSafeLoader", (["/usr/bin/python3", "-c", yaml % "SafeLoader"], {}), (["/usr/bin/python3", "-c", yaml % "CSafeLoader"], {})
    yield "node-gc", "JSON loop: --max-semi-space-size=64", (["node", path("a.js")], {}), (["node", path("a.js")], env(NODE_OPTIONS="--max-semi-space-size=64"))
    yield "gzip-pigz", "gzip -6: libdeflate-gzip", (["gzip", "-6", "-c", t], {}), (["libdeflate-gzip", "-6", "-c", t], {})
    yield "gzip-pigz", "gzip -6: pigz (CPU, not wall)", (["gzip", "-6", "-c", t], {}), (["pigz", "-6", "-c", t], {})
    for rule, slow, fast in (("exceptions-control-flow", "throw", "nothrow"), ("pcre-compile-per-call", "regex", "regex-once"), ("vector-bool", "vbool", "vchar8"),
                             ("crc32-hardware", "crc-byte", "crc-zlib"), ("small-syscalls", "write-line", "write-buffer"), ("iostream-fmt", "ostream", "to_chars"),
                             ("strtod-fast-float", "strtod", "from_chars"), ("printf-double", "snprintf", "to_chars_double"), ("vector-growth", "grow", "reserve"),
                             ("qsort-inline", "qsort", "std-sort"), ("std-map-btree", "map", "sorted-vector")):
        yield rule, f"{slow} → {fast}", ([p, slow], {}), ([p, fast], {})


def cpu(cmd, extra):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env={**os.environ, **extra}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def interval(a, b, rnd):
    ratios = sorted(statistics.median(rnd.choices(a, k=len(a))) / max(1e-9, statistics.median(rnd.choices(b, k=len(b)))) for _ in range(2000))
    return ratios[50], ratios[1949]


def main():
    inputs()
    rnd = random.Random(7)
    print("| entry | pair | baseline CPU | ratio | 95 % |\n|---|---|---|---|---|")
    for rule, what, base, variant in pairs():
        try:
            for cmd, extra in (base, variant):
                cpu(cmd, extra)  # warm-up, and a look whether it is there
        except (OSError, subprocess.CalledProcessError) as err:
            print(f"| {rule} | {what} | | skipped: {err} | |", flush=True)
            continue
        a, b = [], []
        for _ in range(ROUNDS):
            for which in rnd.sample([0, 1], 2):
                (a, b)[which].append(cpu(*(base, variant)[which]))
        lo, hi = interval(a, b, rnd)
        ratio = statistics.median(a) / max(1e-9, statistics.median(b))
        print(f"| {rule} | {what} | {statistics.median(a):.2f} s | {ratio:.2f}× | {lo:.2f} … {hi:.2f} |", flush=True)
    shutil.rmtree(WORK)


if __name__ == "__main__":
    sys.exit(main())
