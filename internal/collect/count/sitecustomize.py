"""Counts calls of the functions that whyhot count names, and their different arguments.

With Python 3.12 or later by sys.monitoring, which leaves all other functions alone; before
by sys.setprofile, which makes each call of a function slower. Of arguments only hashes are
kept, and only until the process ends.
"""
import atexit
import importlib.machinery
import importlib.util
import json
import os
import sys
import threading

MOST = 1 << 16  # different arguments of a function
LONGEST = 64    # items of a container that are looked at


def _hash(value, depth=2):
    """A hash of what a value is made of, where it is of a built-in type; else of which it is."""
    kind = type(value)
    if kind in (str, bytes, int, float, bool, type(None)):
        return hash((kind, value))
    if depth and kind in (list, tuple):
        return hash((kind, len(value), tuple(_hash(v, depth - 1) for v in value[:LONGEST])))
    if depth and kind is dict:
        items = list(value.items())[:LONGEST]
        return hash((kind, len(value), tuple((_hash(k, depth - 1), _hash(v, depth - 1)) for k, v in items)))
    return hash((kind, id(value)))


def _begin(names, results):
    with open(names, encoding="utf-8") as f:
        wanted = {(w["name"], w["file"]): [0, set()] for w in json.load(f)}
    short = {(name.rpartition(".")[2], file) for name, file in wanted}

    def tally(code):
        if (code.co_name, code.co_filename) not in short:
            return None
        return wanted.get((getattr(code, "co_qualname", code.co_name), code.co_filename)) or wanted.get((code.co_name, code.co_filename))

    def count(code, frame, to):
        to[0] += 1
        if len(to[1]) >= MOST:
            return
        n = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        skip = code.co_name == "__init__"  # the object is new each time
        values = frame.f_locals
        to[1].add(hash(tuple(_hash(values[name]) for name in code.co_varnames[skip:n] if name in values)))

    monitoring = getattr(sys, "monitoring", None)
    tool = None
    if monitoring is not None:
        tool = next((n for n in (4, 3) if monitoring.get_tool(n) is None), None)
    if tool is not None:
        way = "sys.monitoring"
        monitoring.use_tool_id(tool, "whyhot")

        def started(code, _offset):
            to = tally(code)
            if to is None:
                return monitoring.DISABLE
            count(code, sys._getframe(1), to)
            return None

        monitoring.register_callback(tool, monitoring.events.PY_START, started)
        monitoring.set_events(tool, monitoring.events.PY_START)
    else:
        way = "sys.setprofile"

        def called(frame, event, _arg):
            if event == "call":
                to = tally(frame.f_code)
                if to is not None:
                    count(frame.f_code, frame, to)

        threading.setprofile(called)
        sys.setprofile(called)

    def write():
        if tool is not None:
            monitoring.set_events(tool, 0)
        else:
            sys.setprofile(None)
        functions = [{"name": name, "file": file, "count": n, "different": len(h) if len(h) < MOST else 0} for (name, file), (n, h) in wanted.items()]
        path = os.path.join(results, "%d.json" % os.getpid())
        with open(path + ".part", "w", encoding="utf-8") as f:
            json.dump({"way": way, "functions": functions}, f)
        os.replace(path + ".part", path)

    atexit.register(write)


def _next():
    """Imports the sitecustomize that this one stands before."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = [p for p in sys.path if os.path.abspath(p or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


_next()
if "WHYHOT_COUNT_FUNCTIONS" in os.environ:
    _begin(os.environ["WHYHOT_COUNT_FUNCTIONS"], os.environ["WHYHOT_COUNT_RESULTS"])
