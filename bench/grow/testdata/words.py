"""Counts words in a dict, and sorts them by their counts."""
import sys

n = int(sys.argv[1])
counts = {}
x = 1
for _ in range(n):
    x = (x * 1103515245 + 12345) % 2147483648
    word = f"w{x >> 12}"
    counts[word] = counts.get(word, 0) + 1
best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
print(best[:3], len("".join(word for word, _ in best)))
