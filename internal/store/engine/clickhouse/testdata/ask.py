"""Runs statements and queries on chDB, ClickHouse as a library.

Takes {"statements": [...], "queries": [...]} as JSON on standard input and gives the
answers of the queries, tab-separated, as a list of strings.
"""

import json
import sys

from chdb import session

work = json.load(sys.stdin)
with session.Session() as s:
    for statement in work["statements"]:
        s.query(statement)
    json.dump([str(s.query(q, "TabSeparated")) for q in work["queries"]], sys.stdout)
