"""Counts calls of the functions that whyhot count names, their different arguments, and
whether the same arguments give the same result.

With Python 3.12 or later by sys.monitoring, which leaves all other functions alone; before
by sys.setprofile, which makes each call of a function slower. Of arguments and results only
hashes are kept, and only until the process ends.
"""
import atexit
import functools
import gc
import importlib.machinery
import importlib.util
import itertools
import json
import os
import sys
import threading
import time
import weakref

MOST = 1 << 16        # different arguments of a function
LONGEST = 64          # items of a container that are looked at: half of them the last
ENOUGH = 1_000_000_000  # ns of looking at a function, before fewer of its calls are looked at
SAVE = 1_000_000_000  # ns between two times that the counts are saved
LONG_ENOUGH = 30_000_000_000  # ns after which sys.setprofile, which makes all calls slower, is let go
HEAP_TYPE = 1 << 9    # Py_TPFLAGS_HEAPTYPE: made by a class statement
NOT_NORMAL = 0x20 | 0x80 | 0x200  # generators and coroutines: what they give is no result

_SIMPLE = (str, bytes, int, float, bool, complex, type(None))
_tokens = itertools.count()
_known = {}  # id of an object: a weak reference, its token


def _identity(value):
    """What tells an object from all others, also from one that later has its address. Of an
    object without weak references the slots have to tell; without these it is like no other."""
    known = _known.get(id(value))
    if known is not None and known[0]() is value:
        return known[1]
    token = next(_tokens)
    try:
        _known[id(value)] = (weakref.ref(value), token)
    except TypeError:
        slots = _slots(type(value))
        return hash((id(value), tuple([_slot(value, name) for name in slots]))) if slots else token
    if len(_known) > MOST:
        _known.clear()
    return token


@functools.lru_cache(maxsize=None)
def _slots(kind):
    names = []
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return tuple([n for n in names if not n.startswith("__")])


@functools.lru_cache(maxsize=None)
def _is_plain(kind):
    """Whether all that is in an object is in its slots and its dictionary."""
    return all(base is object or base.__flags__ & HEAP_TYPE for base in kind.__mro__)


def _slot(value, name):
    try:
        inside = object.__getattribute__(value, name)
    except AttributeError:
        return 0
    if type(inside) in _SIMPLE:
        return hash((type(inside), inside))
    known = _known.get(id(inside))
    return known[1] if known is not None and known[0]() is inside else next(_tokens)


def _ends(items):
    return items if len(items) <= LONGEST else items[:LONGEST // 2] + items[-LONGEST // 2:]


def _hash(value, depth, result=False):
    """A hash of what a value is made of, where it is of a built-in type; else of which it is,
    or, in a result, of what is inside."""
    kind = type(value)
    if kind in _SIMPLE:
        return hash((kind, value))
    if depth:
        if kind in (list, tuple):
            return hash((kind, len(value), tuple([_hash(v, depth - 1, result) for v in _ends(value)])))
        if kind is dict:
            items = [(_hash(k, depth - 1, result), _hash(v, depth - 1, result)) for k, v in _ends(list(value.items()))]
            return hash((kind, len(value), tuple(items)))
        if kind in (set, frozenset):
            return hash((kind, len(value), frozenset([_hash(v, depth - 1, result) for v in itertools.islice(value, LONGEST)])))
        if kind is bytearray:
            return hash((kind, bytes(value)))
        if result and _is_plain(kind):
            own = getattr(value, "__dict__", None)
            inside = [_hash(getattr(value, name, None), depth - 1, result) for name in _slots(kind)]
            if type(own) is dict:
                inside.append(_hash(own, depth - 1, result))
            return hash((kind, tuple(inside)))
    return hash((kind, _identity(value)))


class _Tally:
    __slots__ = ("count", "looked", "repeated", "same", "nothing", "plain", "cyclic", "first_time", "again_time", "first", "results", "spent", "stride", "times", "active", "recursive")

    def __init__(self):
        self.count = self.looked = self.repeated = self.same = self.nothing = self.plain = self.cyclic = self.spent = 0
        self.first_time = self.again_time = 0  # ns of the calls that are looked at: with new arguments, with known ones
        self.first = {}  # hash of arguments: hash of the first result, number of the last call, distance to the one before
        self.results = set()
        self.stride = 1
        self.active = 0
        self.recursive = False
        self.times = [0] * 64  # ns of the calls from 2**i on, up to those from 2**(i+1) on


def _begin(names, results):
    with open(names, encoding="utf-8") as f:
        wanted = {(w["name"], w["file"]): _Tally() for w in json.load(f) if w["language"] == "python"}
    short = {(name.rpartition(".")[2], file) for name, file in wanted}
    pending = {}  # id of a frame: tally, number of the call, hash of arguments, what is passed, when it began
    clock = time.perf_counter_ns

    def tally(code):
        if (code.co_name, code.co_filename) not in short:
            return None
        return wanted.get((getattr(code, "co_qualname", code.co_name), code.co_filename)) or wanted.get((code.co_name, code.co_filename))

    wasted = [0]  # ns in here and in the collector: the calls that are counted do not take that
    counting = [False]
    saved, saving = [clock()], threading.Lock()

    def called(code, frame, to):
        begin = clock()
        counting[0] = True
        to.count += 1
        if code.co_flags & NOT_NORMAL:
            counting[0] = False
            return
        arguments, passed = None, ()
        if to.count % to.stride == 0 and len(to.first) < MOST:
            n = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
            skip = code.co_name == "__init__"  # the object is new each time
            values = frame.f_locals
            names = code.co_varnames[skip:n] + code.co_freevars
            given = [values[name] for name in names if name in values]
            arguments = hash(tuple([_hash(v, 2) for v in given]))
            passed = {id(v) for v in given if type(v) not in _SIMPLE}
            to.spent += clock() - begin
        end = clock()
        wasted[0] += end - begin
        to.active += 1
        to.recursive = to.recursive or to.active > 1
        pending[id(frame)] = (to, to.count, arguments, passed, end - wasted[0])
        counting[0] = False

    def ended(code, frame, value, gave):
        """gave is false where an exception left the function."""
        call = pending.pop(id(frame), None)
        if call is None:
            return
        begin = clock()
        counting[0] = True
        to, number, arguments, passed, started = call
        to.active -= 1
        took = max(0, begin - wasted[0] - started)
        to.times[number.bit_length() - 1] += took
        if arguments is not None:
            look(to, arguments, passed, value, gave, took)
            to.spent += clock() - begin
            if to.spent > ENOUGH * to.stride.bit_length():
                to.stride *= 2
        if begin - saved[0] > SAVE:
            save()
        wasted[0] += clock() - begin
        counting[0] = False

    def look(to, arguments, passed, value, gave, took):
        to.looked += 1
        result = None
        if not gave or value is None or hasattr(value, "__next__") or id(value) in passed:
            to.nothing += 1
        else:
            to.plain += type(value) in (bool, int, float)
            result = _hash(value, 3, True)
            if len(to.results) < MOST:
                to.results.add(result)
        known = to.first.get(arguments)
        if known is None:
            to.first[arguments] = [result, to.looked, 0]
            to.first_time += took
        else:
            distance = to.looked - known[1]
            to.repeated += 1
            to.again_time += took
            to.same += known[0] == result
            to.cyclic += distance == known[2] and 2 * distance >= len(to.first)
            known[1:] = to.looked, distance

    collecting = [0]

    def collected(phase, _info):
        """What is there to collect grows with the program, whatever function is interrupted."""
        if phase == "start":
            collecting[0] = clock()
        elif not counting[0]:
            wasted[0] += clock() - collecting[0]

    gc.callbacks.append(collected)
    monitoring = getattr(sys, "monitoring", None)
    tool = None
    if monitoring is not None:
        tool = next((n for n in (4, 3) if monitoring.get_tool(n) is None), None)
    if tool is not None:
        way = "sys.monitoring"
        monitoring.use_tool_id(tool, "whyhot")
        events = monitoring.events

        def on_start(code, _offset):
            to = tally(code)
            if to is None:
                return monitoring.DISABLE
            called(code, sys._getframe(1), to)
            return None

        def on_return(code, _offset, value):
            if tally(code) is None:
                return monitoring.DISABLE
            ended(code, sys._getframe(1), value, True)
            return None

        def on_unwind(code, _offset, _exception):
            if pending:
                ended(code, sys._getframe(1), None, False)

        monitoring.register_callback(tool, events.PY_START, on_start)
        monitoring.register_callback(tool, events.PY_RETURN, on_return)
        monitoring.register_callback(tool, events.PY_UNWIND, on_unwind)
        monitoring.set_events(tool, events.PY_START | events.PY_RETURN | events.PY_UNWIND)
    else:
        way = "sys.setprofile"

        until = clock() + LONG_ENOUGH

        def on_event(frame, event, value):
            if clock() > until:
                threading.setprofile(None)
                sys.setprofile(None)
            if event == "call":
                to = tally(frame.f_code)
                if to is not None:
                    called(frame.f_code, frame, to)
            elif event == "return" and pending:
                ended(frame.f_code, frame, value, True)  # None for an exception

        threading.setprofile(on_event)
        sys.setprofile(on_event)

    def write():
        if tool is not None:
            monitoring.set_events(tool, 0)
        else:
            sys.setprofile(None)
        save()

    def save():
        """A process that is killed has been written a second before, too."""
        if not saving.acquire(blocking=False):
            return
        functions = []
        for (name, file), t in wanted.items():
            functions.append({
                "name": name, "file": file, "count": t.count, "different": len(t.first) if len(t.first) < MOST else 0,
                "looked": t.looked, "repeated": t.repeated, "same": t.same, "results": len(t.results), "nothing": t.nothing, "plain": t.plain, "cyclic": t.cyclic,
                "first_time": t.first_time, "again_time": t.again_time,
                "times": [] if t.recursive else t.times[:t.count.bit_length()],
            })
        path = os.path.join(results, "%d.json" % os.getpid())
        try:
            with open(path + ".part", "w", encoding="utf-8") as f:
                json.dump({"language": "python", "way": way, "functions": functions}, f)
            os.replace(path + ".part", path)
        except OSError:
            pass  # the run is over, and its directory gone
        saved[0] = clock()
        saving.release()

    def forked():
        """A child counts its own calls only."""
        pending.clear()
        if saving.locked():
            saving.release()
        for t in wanted.values():
            t.__init__()

    atexit.register(write)
    if hasattr(os, "register_at_fork"):  # since Python 3.7
        os.register_at_fork(after_in_child=forked)


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
