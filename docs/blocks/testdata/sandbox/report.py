import sys


def render(n):
    out = b""
    for i in range(n):
        out = out + b"line %d of a report\n" % i
    return out


print(len(render(int(sys.argv[1]))))
