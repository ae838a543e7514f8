"""A window of constant length slides over numbers."""
import sys


def windows(n):
    window, sums = [0] * 8, 0
    for i in range(n):
        window.pop(0)
        window.append(i)
        if i in window:
            sums += window[3]
    return sums


print(windows(int(sys.argv[1])))
