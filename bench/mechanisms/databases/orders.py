"""Orders of customers, from SQLite in memory: `waste` has no index on what is asked for."""
import sqlite3
import sys

kind, customers, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INTEGER, total REAL)")
db.executemany("INSERT INTO orders (customer, total) VALUES (?, ?)", [(i % customers, i * 0.5) for i in range(customers * 4)])
if kind != "waste":
    db.execute("CREATE INDEX of_customer ON orders (customer)")


def total(customer):
    rows = db.execute("SELECT total FROM orders WHERE customer = ?", (customer,)).fetchall()  # WASTE
    return sum(t for (t,) in rows)


def main():
    totals = {}
    for i in range(rounds):
        totals[i % customers] = total(i % customers)
    print(len(totals))


main()
