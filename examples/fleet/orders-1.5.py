"""The same service, version 1.5: each answer is kept for an audit."""

import copy
import json

orders = [{"id": i, "name": f"n{i}", "tags": ["a", "b"]} for i in range(2000)]
audit = []


def answer():
    audit.append(copy.deepcopy(orders))
    del audit[:-10]
    return json.loads(json.dumps(orders))


while True:
    answer()
