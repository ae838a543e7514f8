"""A service that answers orders as JSON, version 1.4."""

import json

orders = [{"id": i, "name": f"n{i}", "tags": ["a", "b"]} for i in range(2000)]


def answer():
    return json.loads(json.dumps(orders))


while True:
    answer()
