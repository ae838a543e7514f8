"""A body is put together of bytes with +=."""
import sys


class Reader:
    def __init__(self):
        self.body = b""

    def feed(self, chunk):
        self.body += chunk  # WASTE


r = Reader()
for i in range(int(sys.argv[1])):
    r.feed(b"%08d\n" % i)
print(len(r.body))
