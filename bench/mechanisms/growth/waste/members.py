"""Members are looked for in a list of fixed size."""
import sys

blocked = [f"user{i}" for i in range(4000)]


def allowed(name):
    return name not in blocked  # WASTE


print(sum(allowed(f"user{i * 7}") for i in range(int(sys.argv[1]))))
