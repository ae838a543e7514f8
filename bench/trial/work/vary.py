"""Programs whose output varies: vary.py KIND N WRONG BURN."""
import json, os, random, sys, threading, time, uuid

kind, n, wrong, burn = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
start = time.perf_counter()
for _ in range(burn * 200_000):
    pass
value = [i * i + (wrong and i == 7) for i in range(n)]

if kind == "set":
    print({f"item{v}" for v in value})
elif kind == "lines":
    for s in {f"item{v}" for v in value}:
        print(s)
elif kind == "address":
    things = [object() for _ in value]
    for t, v in zip(things, value):
        print(hex(id(t)), "holds", v)
elif kind == "log":
    for v in value:
        print(f"{time.strftime('%Y-%m-%d %H:%M:%S')}.{time.time_ns() % 10**6:06} [{os.getpid()}] INFO handled {v}")
elif kind == "threads":
    lock = threading.Lock()
    def work(part):
        for v in value[part::4]:
            with lock:
                sys.stdout.write(f"thread {part}: {v}\n")
            if random.random() < 0.05:
                time.sleep(0)
    ts = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in ts: t.start()
    for t in ts: t.join()
elif kind == "json":
    print(json.dumps([{"id": str(uuid.uuid4()), "value": v} for v in value]))
elif kind == "table":
    print(f"{'benchmark':20} {'time':>10} {'iterations':>12}")
    for k, v in enumerate(value[7::20]):
        t = 1 + random.random() * 0.2
        print(f"BM_{k:<17} {t * burn:8.1f} ms {int(1e9 / t / burn):12} items={v}")
    print(f"{n} items in {time.perf_counter() - start:.2f} s")
elif kind == "retries":
    for v in value:
        while random.random() < 0.1:
            print("retry")
        print("done", v)
elif kind == "progress":
    for k, v in enumerate(value):
        if time.perf_counter() - start > 0.001 * k / 40:
            sys.stdout.write(f"{100 * k // n}%\r")
        if k % 10 == 0:
            print("part", v, f"{(time.perf_counter() - start) * 1e3:.1f} ms")
    print(f"total {sum(value)} {uuid.uuid4()}")
elif kind == "random":
    for v in value:
        hits = sum(random.random() ** 2 + random.random() ** 2 < 1 for _ in range(20))
        print(f"{v}: pi is about {hits / 5:.1f}")
elif kind == "file":
    with open("vary.out", "w") as f:
        for v in value:
            f.write(f"{v} {time.time_ns()}\n")
    print("written")
