"""Cuts tokens off the front of a text, which copies the rest each time."""
import sys


def tokens(text):
    out = []
    while text:
        end = text.find(" ")
        out.append(text[:end])
        text = text[end + 1:]  # GROWS
    return out


def report(words):
    counts = {}
    for w in words:
        counts[w] = counts.get(w, 0) + len(w) % 7
    return sorted(counts.items())


n = int(sys.argv[1])
print(len(report(tokens("".join(f"word{i} " for i in range(n))))))
