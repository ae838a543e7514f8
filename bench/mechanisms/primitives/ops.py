"""OP LENGTH ROUNDS: an operation on a container of that length, once a round."""
import collections
import sys

op, length, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
items = list(range(length))
text = "x" * length
data = b"x" * length
table = dict.fromkeys(items, 0)
linked = collections.deque(items)
pairs = tuple(items)
other = {}


def work(i):
    other[i % 64] = other.get(i % 64, 0) + i % 7


def member(i):
    return -i - 1 in items  # WASTE member


def tuples(i):
    return -i - 1 in pairs  # WASTE tuples


def index(i):
    return items.index(length - 1)  # WASTE index


def count(i):
    return items.count(i)  # WASTE count


def front(i):
    items.insert(0, i)  # WASTE front
    items.pop()


def shift(i):
    items.append(i)
    return items.pop(0)  # WASTE shift


def remove(i):
    items.append(-i - 1)
    items.remove(-i - 1)  # WASTE remove


def plus(i):
    return len(items + [i])  # WASTE plus


def sliced(i):
    return len(items[1:])  # WASTE sliced


def spread(i):
    return len([*items, i])  # WASTE spread


def merged(i):
    return len({**table, i: 1})  # WASTE merged


def string(i):
    longer = text + str(i)  # WASTE string
    return len(longer)


def octets(i):
    longer = data + b"y"  # WASTE octets
    return len(longer)


def rest(i):
    return len(text[1:])  # WASTE rest


def middle(i):
    return linked[length // 2]  # WASTE middle


def largest(i):
    return max(items)  # WASTE largest


def ordered(i):
    return sorted(items)[0]  # WASTE ordered


def keys(i):
    return list(table)[0]  # WASTE keys


def asset(i):
    return len(set(items))  # WASTE asset


def joined(i):
    return len(",".join([text, "y"]))  # WASTE joined


def main():
    run = globals()[op]
    for i in range(rounds):
        run(i)
        work(i)


main()
