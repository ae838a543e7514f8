"""A queue is a list, taken from its front."""
import sys


def work(n):
    queue, done = list(range(n)), 0
    while queue:
        job = queue.pop(0)  # WASTE
        done += job * job % 7
    return done


print(work(int(sys.argv[1])))
