"""Loads the counter of whyhot count where a script has set PYTHONPATH, and puts the user's own
packages back."""
import importlib.machinery
import importlib.util
import os
import site
import sys


def _begin():
    ours, counter = site.USER_SITE, os.path.join(os.path.dirname(site.USER_BASE), "sitecustomize.py")
    base = os.environ["WHYHOT_COUNT_USERBASE"]
    if base:
        os.environ["PYTHONUSERBASE"] = base
    else:
        del os.environ["PYTHONUSERBASE"]
    site.USER_BASE = site.USER_SITE = None
    theirs = site.getusersitepackages()  # sets both
    sys.path[:] = [p for p in sys.path if p != ours]
    if os.path.isdir(theirs):
        site.addsitedir(theirs)
        spec = importlib.machinery.PathFinder.find_spec("usercustomize", [theirs])
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
    os.environ["PYTHONUSERBASE"] = os.path.dirname(counter) + "/user"  # for what it starts
    loaded = sys.modules.get("sitecustomize")
    if loaded is None or getattr(loaded, "__file__", None) != counter:
        spec = importlib.util.spec_from_file_location("whyhot_count", counter)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if "WHYHOT_COUNT_USERBASE" in os.environ:
    _begin()
