#!/usr/bin/env python3
"""Second workloads of the pairs of pairs.py: small programs with a purpose, of which
the pair is a part: tasks.py SIDE [TIMES]. Each function takes what is swapped.
"""
import collections
import os
import random
import sys

WORK = os.environ.get("WHYHOT_WORK", "/tmp")


def kept(name, make):
    """A file that is written once for all runs."""
    path = os.path.join(WORK, "tasks-" + name)
    if not os.path.exists(path):
        with open(path + ".new", "w") as f:
            f.write(make())
        os.replace(path + ".new", path)
    with open(path) as f:
        return f.read()


def shapes():
    import json
    rnd = random.Random(2)
    return json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": "place é %d" % i, "note": "a longer text with \"quotes\" and words " * 4},
         "geometry": {"type": "Polygon", "coordinates": [[[rnd.uniform(-180, 180), rnd.uniform(-90, 90)] for _ in range(30)]]}} for i in range(2500)]})


def centres(json):
    """The centre of each shape of a map, as JSON again."""
    all = json.loads(kept("map.json", shapes))
    out = []
    for f in all["features"]:
        ring = f["geometry"]["coordinates"][0]
        out.append({"name": f["properties"]["name"], "x": sum(p[0] for p in ring) / len(ring), "y": sum(p[1] for p in ring) / len(ring), "ring": ring[:8]})
    return len(json.dumps(out))


def listing():
    rnd = random.Random(4)
    return "<html><body><h1>Shop</h1>" + "".join(
        f'<table class="item {rnd.choice(["new", "old"])}"><tr><th>{i}</th><td>{"word " * rnd.randrange(30)}</td><td class="price">{rnd.randrange(900)}.50</td></tr></table><!-- {i} --><br>' for i in range(700)) + "</body></html>"


def prices_soup(parser):
    from bs4 import BeautifulSoup
    total, words = 0.0, collections.Counter()
    for row in BeautifulSoup(kept("shop.html", listing), parser).find_all("tr"):
        cells = row.find_all("td")
        words.update(cells[0].get_text().split())
        total += float(cells[1].get_text())
    return int(total) + len(words)


def prices_lxml():
    from lxml import html
    total, words = 0.0, collections.Counter()
    for row in html.fromstring(kept("shop.html", listing)).iter("tr"):
        cells = row.findall("td")
        words.update(cells[0].text_content().split())
        total += float(cells[1].text_content())
    return int(total) + len(words)


def log():
    rnd = random.Random(6)
    return "".join(f"2026-{rnd.randrange(1, 13):02}-{rnd.randrange(1, 29):02} {rnd.randrange(24):02}:{rnd.randrange(60):02}:{rnd.randrange(60):02} {rnd.choice(['INFO', 'WARN', 'ERROR'])} "
                   f"host{rnd.randrange(40)} request /users/{rnd.randrange(9999)}?page={rnd.randrange(9)} took {rnd.randrange(500)} ms\n" for _ in range(16000))


def hours(parse):
    """Requests and time by hour and host."""
    took = collections.defaultdict(int)
    for line in kept("log.txt", log).splitlines():
        day, time, level, host, _, path, _, ms, _ = line.split()
        t = parse(day + " " + time)
        if level != "WARN":
            took[host, t.hour, path.partition("?")[0][:8]] += int(ms)
    return len(took)


def hours_dateutil():
    from dateutil.parser import parse
    return hours(parse)


def hours_strptime():
    from datetime import datetime
    return hours(lambda s: datetime.strptime(s, "%Y-%m-%d %H:%M:%S"))


def hours_iso():
    from datetime import datetime
    return hours(datetime.fromisoformat)


def titles():
    rnd = random.Random(8)
    words = "street house garden river north bridge old mill station market church hill".split()
    return [" ".join(rnd.choices(words, k=5)) for _ in range(220)]


def near(ratio):
    """For each title the nearest among those that share its first word."""
    groups = collections.defaultdict(list)
    for t in titles():
        groups[t.split()[0]].append(t.title())
    return sum(int(100 * max((ratio(a, b) for b in g if a != b), default=0)) for g in groups.values() for a in g)


def near_difflib():
    import difflib
    return near(lambda a, b: difflib.SequenceMatcher(None, a, b).ratio())


def near_rapidfuzz():
    from rapidfuzz import fuzz
    return near(lambda a, b: fuzz.ratio(a, b) / 100)


ORDER = {"type": "object", "required": ["id", "lines", "to"], "additionalProperties": False, "properties": {
    "id": {"type": "string", "minLength": 3}, "to": {"type": "object", "required": ["city"], "properties": {"city": {"enum": ["A", "B", "C"]}}},
    "lines": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"n": {"type": "integer", "maximum": 99}, "price": {"type": "number"}}}}}}


def orders():
    rnd = random.Random(9)
    return [{"id": f"o{i:05}", "to": {"city": rnd.choice("ABC")}, "lines": [{"n": rnd.randrange(99), "price": rnd.random()} for _ in range(rnd.randrange(1, 6))]} for i in range(900)]


def stored(valid):
    import json
    total = 0
    for o in json.loads(json.dumps(orders())):
        if valid(o):
            total += sum(x["n"] * x["price"] for x in o["lines"])
    return int(total)


def stored_jsonschema():
    import jsonschema
    return stored(jsonschema.Draft7Validator(ORDER).is_valid)


def stored_fast():
    import fastjsonschema
    check = fastjsonschema.compile(ORDER)
    return stored(lambda o: check(o) is not None)


def settings():
    return "".join(f"- name: service{i}\n  image: registry/app:{i}\n  ports: [80, {8000 + i}]\n  env:\n    - key: A\n      value: \"{i} # no comment\"\n" for i in range(320))


def services(loader):
    import yaml
    all = yaml.load(kept("services.yaml", settings), Loader=getattr(yaml, loader))
    by = {p: s["name"] for s in all for p in s["ports"]}
    return len(yaml.dump(sorted(by)[:40])) + len(by)


def tables():
    return "".join(f'[section.a{i}]\n# a comment\nkey = "value {i}"\npath = \'c:\\x\'\non = true\nat = 2026-03-04T12:00:00Z\nlist = [1, 2, 3, {i}]\n' for i in range(500))


def sections(toml):
    all = toml.loads(kept("settings.toml", tables))
    return sum(sum(s["list"]) for s in all["section"].values())


def board(copy):
    """Moves tried on copies of a board, as a search does."""
    state = {"cells": [[0] * 8 for _ in range(8)], "turn": 0, "log": []}
    best = 0
    for i in range(900):
        s = copy(state)
        s["cells"][i % 8][i // 8 % 8] += 1
        s["turn"] += 1
        score = sum(sum(x * (k + 1) for k, x in enumerate(row)) for row in s["cells"])
        if score > best:
            best, state = score, s
    return best


def board_deepcopy():
    import copy
    return board(copy.deepcopy)


def board_plain():
    return board(lambda s: {"cells": [row[:] for row in s["cells"]], "turn": s["turn"], "log": s["log"][:]})


def unique(kind):
    """Visitors of a log that are not blocked."""
    blocked = kind(f"/users/{i}" for i in range(1100))
    seen = collections.Counter()
    for line in kept("log.txt", log).splitlines()[:7000]:
        path = line.split()[5].partition("?")[0]
        if path not in blocked:
            seen[path] += 1
    return len(seen)


def job(level):
    import logging
    h = logging.FileHandler(os.devnull)
    h.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    log = logging.getLogger("job")
    log.handlers = [h]
    log.propagate = False
    log.setLevel(level)
    total = 0
    for i in range(7000):
        total += sum(ord(c) for c in f"row {i} of the table")
        log.debug("row %d has %s", i, total)
    return total


def job_debug():
    return job("DEBUG")


def job_quiet():
    return job("WARNING")


def mails(each):
    from jinja2 import Environment
    env = Environment(cache_size=0)
    text = "Dear {{ name|title }},\n{% if late %}your bill of {{ sum }} is due.{% else %}thank you.{% endif %}\n{% for l in lines %}{{ loop.index }}. {{ l.n }} x {{ '%.2f'|format(l.price) }}\n{% endfor %}"
    once, n = env.from_string(text), 0
    for i, o in enumerate(orders()[:220]):
        n += len((env.from_string(text) if each else once).render(name="some one", late=i % 2, sum=i, lines=o["lines"] * 4))
    return n


def formulas(each):
    """Cells of a sheet: expressions over other cells."""
    text = [f"(a + {i % 5}) * b - max(a, c * {i % 11})" for i in range(55)]
    code, n = [compile(t, "", "eval") for t in text], 0
    for i in range(9000):
        row = {"a": i % 13, "b": i % 7, "c": 1.5 * i}
        n += eval(text[i % 55] if each else code[i % 55], row) > len(str(row["c"]))
    return n


def routes(library):
    """Components, and hops from one node, of a grid with holes."""
    rnd = random.Random(11)
    edges = [(i, j) for i in range(3600) for j in (i + 1, i + 60) if j < 3600 and rnd.random() < 0.6]
    if library == "networkx":
        import networkx
        g = networkx.Graph()
        g.add_nodes_from(range(3600))
        g.add_edges_from(edges)
        parts = [len(c) for c in networkx.connected_components(g)]
        return max(parts) + sum(len(networkx.single_source_shortest_path_length(g, s)) for s in range(0, 600, 20))
    import rustworkx
    g = rustworkx.PyGraph()
    g.add_nodes_from(range(3600))
    g.add_edges_from_no_data(edges)
    parts = [len(c) for c in rustworkx.connected_components(g)]
    return max(parts) + sum(len(rustworkx.dijkstra_shortest_path_lengths(g, s, lambda _: 1.0)) + 1 for s in range(0, 600, 20))


def patterns(each):
    import re
    n, known = 0, {}
    lines = kept("log.txt", log).splitlines()[:6000]
    for i, line in enumerate(lines):
        text = rf"host{i % 900}\b.*/users/\d+"
        if each:
            p = re.compile(text)
        else:
            p = known.get(text)
            if p is None:
                p = known[text] = re.compile(text)
        m = p.search(line)
        n += len(line.split()) + bool(m)
    return n


def with_module(f, name):
    import importlib
    return f(importlib.import_module(name))


SIDES = {
    "centres-json": lambda: with_module(centres, "json"), "centres-simplejson": lambda: with_module(centres, "simplejson"),
    "centres-orjson": lambda: with_module(centres, "orjson"),
    "prices-soup": lambda: prices_soup("html.parser"), "prices-soup-lxml": lambda: prices_soup("lxml"), "prices-lxml": prices_lxml,
    "hours-dateutil": hours_dateutil, "hours-strptime": hours_strptime, "hours-iso": hours_iso,
    "near-difflib": near_difflib, "near-rapidfuzz": near_rapidfuzz,
    "stored-jsonschema": stored_jsonschema, "stored-fast": stored_fast,
    "services-python": lambda: services("SafeLoader"), "services-c": lambda: services("CSafeLoader"),
    "sections-toml": lambda: with_module(sections, "toml"), "sections-tomllib": lambda: with_module(sections, "tomllib"),
    "board-deepcopy": board_deepcopy, "board-plain": board_plain,
    "unique-list": lambda: unique(list), "unique-set": lambda: unique(set),
    "job-debug": job_debug, "job-quiet": job_quiet,
    "mails-each": lambda: mails(True), "mails-once": lambda: mails(False),
    "formulas-each": lambda: formulas(True), "formulas-once": lambda: formulas(False),
    "routes-networkx": lambda: routes("networkx"), "routes-rustworkx": lambda: routes("rustworkx"),
    "patterns-each": lambda: patterns(True), "patterns-once": lambda: patterns(False),
}

if __name__ == "__main__":
    side = SIDES.get(sys.argv[1])
    if side is None:
        sys.exit("\n".join(SIDES))
    total = 0
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1):
        total += side()
    print(total)
