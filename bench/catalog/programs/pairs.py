#!/usr/bin/env python3
"""Pairs of Python libraries and habits: pairs.py SIDE [TIMES] runs one side.

A function is a side; run.py compares the CPU times of two.
"""
import sys


def records(n):
    import random
    rnd = random.Random(1)
    return [{"id": i, "name": f"user{i}", "score": rnd.random() * 100, "tags": ["a", "b", str(i % 7)],
             "nested": {"x": i, "y": [1, 2, 3.5]}} for i in range(n)]


def page():
    return "<html><body>" + "".join(f'<div class="row" id="r{i}"><a href="/u/{i}">user {i}</a><p>some <b>text</b> &amp; more</p></div>' for i in range(1200)) + "</body></html>"


def soup_html_parser():
    from bs4 import BeautifulSoup
    return len(BeautifulSoup(page(), "html.parser").find_all("a"))


def soup_lxml():
    from bs4 import BeautifulSoup
    return len(BeautifulSoup(page(), "lxml").find_all("a"))


def lxml_html():
    from lxml import html
    return len(html.fromstring(page()).xpath("//a"))


def dates_dateutil():
    from dateutil.parser import parse
    return sum(parse(f"2026-{i % 12 + 1:02}-{i % 28 + 1:02}T12:{i % 60:02}:07").minute for i in range(12000))


def dates_iso():
    from datetime import datetime
    return sum(datetime.fromisoformat(f"2026-{i % 12 + 1:02}-{i % 28 + 1:02}T12:{i % 60:02}:07").minute for i in range(12000))


def names():
    import random
    rnd = random.Random(3)
    return ["".join(rnd.choices("abcdefghij ", k=24)) for _ in range(60)]


def ratio_difflib():
    import difflib
    n = names()
    return sum(difflib.SequenceMatcher(None, a, b).ratio() for a in n for b in n[:25])


def ratio_rapidfuzz():
    from rapidfuzz import fuzz
    n = names()
    return sum(fuzz.ratio(a, b) for a in n for b in n[:25])


def text(n=1):
    return "".join(f"{i * 7919 % 1500007},alpha{i % 97},{i * 3.7:.3f}\n" for i in range(120000 * n)).encode()


def gzip_stdlib():
    import gzip
    return len(gzip.compress(text()))


def gzip_isal():
    from isal import igzip
    return len(igzip.compress(text()))


def gzip_zlib_ng():
    from zlib_ng import gzip_ng
    return len(gzip_ng.compress(text()))


SCHEMA = {"type": "object", "required": ["id", "name"], "properties": {
    "id": {"type": "integer"}, "name": {"type": "string", "pattern": "^user"}, "score": {"type": "number", "minimum": 0},
    "tags": {"type": "array", "items": {"type": "string"}}, "nested": {"type": "object", "properties": {"x": {"type": "integer"}}}}}


def schema_jsonschema():
    import jsonschema
    v = jsonschema.Draft7Validator(SCHEMA)
    return sum(v.is_valid(r) for r in records(3000))


def schema_fast():
    import fastjsonschema
    v = fastjsonschema.compile(SCHEMA)
    return sum(v(r) is not None for r in records(3000))


def edges():
    import random
    rnd = random.Random(5)
    return [(rnd.randrange(2000), rnd.randrange(2000), rnd.random()) for _ in range(12000)]


def paths_networkx():
    import networkx
    g = networkx.DiGraph()
    g.add_weighted_edges_from(edges())
    return sum(len(networkx.single_source_dijkstra_path_length(g, s)) for s in range(25))


def paths_rustworkx():
    import rustworkx
    g = rustworkx.PyDiGraph()
    g.extend_from_weighted_edge_list(edges())
    return sum(len(rustworkx.digraph_dijkstra_shortest_path_lengths(g, s, lambda w: w)) for s in range(25))


def sheet():
    import os
    import openpyxl
    name = os.environ["WHYHOT_WORK"] + "/sheet.xlsx"
    if not os.path.exists(name):
        book = openpyxl.Workbook(write_only=True)
        s = book.create_sheet("a")
        for i in range(6000):
            s.append([i, f"name {i}", i * 1.5, "x" * (i % 9)])
        book.save(name)
    return name


def sheet_openpyxl():
    import openpyxl
    return sum(len(r) for r in openpyxl.load_workbook(sheet()).active.iter_rows(values_only=True))


def sheet_calamine():
    import python_calamine
    return sum(len(r) for r in python_calamine.CalamineWorkbook.from_path(sheet()).get_sheet_by_index(0).to_python())


def models_marshmallow():
    from marshmallow import Schema, fields

    class Nested(Schema):
        x = fields.Int()
        y = fields.List(fields.Float())

    class Record(Schema):
        id = fields.Int()
        name = fields.Str()
        score = fields.Float()
        tags = fields.List(fields.Str())
        nested = fields.Nested(Nested)
    return len(Record(many=True).load(records(3000)))


def models_pydantic():
    from pydantic import BaseModel, TypeAdapter

    class Nested(BaseModel):
        x: int
        y: list[float]

    class Record(BaseModel):
        id: int
        name: str
        score: float
        tags: list[str]
        nested: Nested
    return len(TypeAdapter(list[Record]).validate_python(records(3000)))


def models_msgspec():
    import msgspec

    class Nested(msgspec.Struct):
        x: int
        y: list[float]

    class Record(msgspec.Struct):
        id: int
        name: str
        score: float
        tags: list[str]
        nested: Nested
    return len(msgspec.convert(records(3000), list[Record]))


def json_stdlib():
    import json
    d = records(8000)
    return len(json.loads(json.dumps(d)))


def json_simplejson():
    import simplejson
    d = records(8000)
    return len(simplejson.loads(simplejson.dumps(d)))


def json_orjson():
    import orjson
    d = records(8000)
    return len(orjson.loads(orjson.dumps(d)))


TOML = "".join(f'[t{i}]\nname = "user{i}"\nscore = {i}.5\ntags = ["a", "b"]\n' for i in range(1200))


def toml_toml():
    import toml
    return len(toml.loads(TOML))


def toml_tomllib():
    import tomllib
    return len(tomllib.loads(TOML))


def deepcopies():
    import copy
    d = records(1)[0]
    return sum(len(copy.deepcopy(d)) for _ in range(20000))


def plain_copies():
    d = records(1)[0]
    return sum(len({**d, "tags": d["tags"].copy(), "nested": {**d["nested"], "y": d["nested"]["y"].copy()}}) for _ in range(20000))


def tree(n):
    return [{"id": i, "next": [i, {"v": (i,)}]} for i in range(n)]


def gc_on():
    return sum(len(tree(60000)) for _ in range(5))


def gc_frozen():
    import gc
    gc.disable()
    return sum(len(tree(60000)) for _ in range(5))


def membership_list():
    known = [f"user{i}" for i in range(2500)]
    return sum(f"user{i}" in known for i in range(0, 5000, 3))


def membership_set():
    known = {f"user{i}" for i in range(2500)}
    return sum(f"user{i}" in known for i in range(0, 5000, 3))


def logs_formatted():
    import logging
    import os
    log = logging.getLogger("a")
    log.addHandler(logging.StreamHandler(open(os.devnull, "w")))
    log.setLevel(logging.DEBUG)
    for i in range(25000):
        log.debug("row %d of %s", i, "table")
    return 1


def logs_off():
    import logging
    log = logging.getLogger("a")
    log.setLevel(logging.WARNING)
    for i in range(25000):
        log.debug("row %d of %s", i, "table")
    return 1


def frame():
    import numpy
    import pandas
    return pandas.DataFrame({"a": numpy.arange(20000), "b": numpy.arange(20000) * 1.5})


def rows_apply():
    return frame().apply(lambda r: r["a"] * 2 + r["b"], axis=1).sum()


def columns():
    f = frame()
    return (f["a"] * 2 + f["b"]).sum()


def regex_by_value():
    import re
    n = 0
    for i in range(2000):  # more patterns than the cache of re holds
        n += bool(re.search(rf"user{i}[a-z]*(\d+)?$", "user17abc33"))
    return n


def regex_union():
    import re
    p = re.compile(r"user(\d+)[a-z]*(\d+)?$")
    n = 0
    for i in range(2000):
        m = p.search("user17abc33")
        n += m is not None and m.group(1) == str(i)
    return n


def regex_plain():
    import re
    p = re.compile(r"(\w+)\s+(\w+)\s*=\s*(\d+)")
    lines = [f"the quick brown fox number {i} jumps over = {i}" for i in range(4000)]
    return sum(bool(p.search(x)) for x in lines for _ in range(8))


def regex_re2():
    import re2
    p = re2.compile(r"(\w+)\s+(\w+)\s*=\s*(\d+)")
    lines = [f"the quick brown fox number {i} jumps over = {i}" for i in range(4000)]
    return sum(bool(p.search(x)) for x in lines for _ in range(8))


async def echoes(n):
    import asyncio

    async def serve(r, w):
        while line := await r.readline():
            w.write(line)
        w.close()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    r, w = await asyncio.open_connection(*server.sockets[0].getsockname())
    for _ in range(n):
        w.write(b"ping\n")
        await r.readline()
    w.close()
    server.close()


def asyncio_loop():
    import asyncio
    asyncio.run(echoes(6000))
    return 1


def uvloop_loop():
    import uvloop
    uvloop.run(echoes(6000))
    return 1


def strptime():
    from datetime import datetime
    return sum(datetime.strptime(f"2026-{i % 12 + 1:02}-{i % 28 + 1:02}T12:{i % 60:02}:07", "%Y-%m-%dT%H:%M:%S").minute for i in range(40000))


def fromisoformat():
    from datetime import datetime
    return sum(datetime.fromisoformat(f"2026-{i % 12 + 1:02}-{i % 28 + 1:02}T12:{i % 60:02}:07").minute for i in range(40000))


def replies(parser):
    from redis._parsers import _HiredisParser, _RESP2Parser
    import socket
    a, b = socket.socketpair()
    a.settimeout(10)
    body = b"*200\r\n" + b"".join(b"$7\r\nvalue%02d\r\n" % (i % 100) for i in range(200))

    class Connection:
        _sock, encoder, retry_on_timeout, socket_timeout, socket_read_size, client, db = a, None, False, None, 65536, None, 0

        def __getattr__(self, name):
            return None

    from redis.connection import Encoder
    Connection.encoder = Encoder("utf-8", "strict", True)
    p = (_HiredisParser if parser else _RESP2Parser)(socket_read_size=65536)
    p.on_connect(Connection())
    n = 0
    for _ in range(600):
        b.sendall(body)
        n += len(p.read_response())
    return n


def redis_python():
    return replies(False)


def redis_hiredis():
    return replies(True)


def contexts_each():
    import ssl
    return sum(ssl.create_default_context(cafile="/etc/ssl/certs/ca-certificates.crt").minimum_version for _ in range(15))


def context_once():
    import ssl
    c = ssl.create_default_context(cafile="/etc/ssl/certs/ca-certificates.crt")
    return sum(c.minimum_version for _ in range(15))


PAGE = "{% for r in rows %}<tr class='{{ loop.cycle('a', 'b') }}'><td>{{ r.id }}</td><td>{{ r.name|e }}</td></tr>{% endfor %}"


def jinja_each():
    from jinja2 import Template
    rows = records(3)
    return sum(len(Template(PAGE + f"<!-- {i} -->").render(rows=rows)) for i in range(150))


def jinja_once():
    from jinja2 import Template
    rows = records(3)
    t = Template(PAGE + "<!-- {{ i }} -->")
    return sum(len(t.render(rows=rows, i=i)) for i in range(150))


def eval_each():
    return sum(eval(f"a * {i % 7} + b ** 2 - (c if a > {i % 5} else d)", {"a": i, "b": 2, "c": 3, "d": 4}) for i in range(20000))


def eval_once():
    code = {(x, y): compile(f"a * {x} + b ** 2 - (c if a > {y} else d)", "", "eval") for x in range(7) for y in range(5)}
    return sum(eval(code[i % 7, i % 5], {"a": i, "b": 2, "c": 3, "d": 4}) for i in range(20000))


def resize_pillow():
    from PIL import Image
    im = Image.effect_noise((1600, 1200), 50).convert("RGB")
    return sum(im.resize((640, 480), Image.LANCZOS).size[0] for _ in range(8))


def resize_reduced():
    from PIL import Image
    im = Image.effect_noise((1600, 1200), 50).convert("RGB")
    return sum(im.resize((640, 480), Image.LANCZOS, reducing_gap=1.5).size[0] for _ in range(8))


def sqlite_statements(cached):
    import sqlite3
    db = sqlite3.connect(":memory:", cached_statements=cached)
    db.execute("create table t(id integer primary key, name text)")
    db.executemany("insert into t values(?, ?)", ((i, f"user{i}") for i in range(5000)))
    return sum(db.execute("select t.id from t join t u on u.id = t.id where t.id = ?", (i % 5000,)).fetchone()[0] for i in range(40000))


def sqlite_uncached():
    return sqlite_statements(0)


def sqlite_cached():
    return sqlite_statements(128)


def import_heavy():
    import pandas, sqlalchemy, networkx  # noqa: E401, F401
    return 1


def import_lazy():
    return 1


def work(n):
    total = 0
    for i in range(n):
        a = i % 7
        total += (a * a + 3) % 11 if a > 2 else helper(a)
    return total


def helper(a):
    return a + 1


def plain_work():
    return work(3000000)


def threads_gil():
    import threading
    t = [threading.Thread(target=work, args=(700000,)) for _ in range(4)]
    [x.start() for x in t]
    [x.join() for x in t]
    return 1


def threads_none():
    for _ in range(4):
        work(700000)
    return 1


if __name__ == "__main__":
    side = globals().get(sys.argv[1])
    if not callable(side):
        sys.exit(f"no side {sys.argv[1]}")
    total = 0
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1):
        total += side()
    print(total)
