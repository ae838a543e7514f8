#!/usr/bin/env python3
"""Writes requests for QrCodeGeneratorWorker: requests.py NUMBER."""
import random
import sys

random.seed(7)
for _ in range(int(sys.argv[1])):
    length = random.choice([40, 200, 700, 1500])
    print(length)
    for _ in range(length):
        print(random.randrange(33, 126))
    # Error correction, smallest and largest version, mask (-1: the best), boost.
    print(random.randrange(4), 1, 40, -1, 1, sep="\n")
print(-1)
