"""Writes records to an unbuffered file; "mend" leaves the default buffer."""
import struct
import sys


def records(out, n):
    for i in range(n):
        out.write(struct.pack("<IH", i, i % 1000))


with open("/tmp/mech-raw.bin", "wb", **({} if sys.argv[1] == "mend" else {"buffering": 0})) as f:
    records(f, int(sys.argv[2]))
