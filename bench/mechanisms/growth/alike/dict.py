"""Words are counted in a dict; the results of each page are merged in place."""
import sys


def count(n):
    all = {}
    for i in range(n):
        page = {f"w{i * 7919 % (k + 3)}": i for k in range(20)}
        all.update(page)
    return len(all)


print(count(int(sys.argv[1])))
