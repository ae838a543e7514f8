"""Reads and writes JSON documents with the standard library's json module.

usage: py_json.py [ROUNDS]
"""

import json
import sys


def make_document(number):
    return {
        "id": number,
        "name": f"customer {number}",
        "tags": [f"tag{i % 17}" for i in range(number % 23)],
        "address": {"street": "Long Lane", "number": number % 211, "lines": ["a", "b\n", "c \u00e9"]},
        "balance": number * 1.25,
        "active": number % 3 == 0,
        "history": [{"at": 1700000000 + i, "amount": i * 0.5} for i in range(12)],
    }


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    documents = [make_document(n) for n in range(4000)]
    read = 0
    for _ in range(rounds):
        text = json.dumps(documents)
        documents = json.loads(text)
        read += len(documents)
    print(f"{rounds} rounds, {read} documents read back, last id {documents[-1]['id']}")


if __name__ == "__main__":
    main()
