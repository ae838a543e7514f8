"""Short lists are put together for each item."""
import sys


def steps(n):
    most = 0
    for i in range(n):
        way = [i] + [i + 1, i + 2]
        most = max(most, len(way + [most]))
    return most


print(steps(int(sys.argv[1])))
