import ssl
import sys
import hashlib


def checked(n, kept):
    context = kept or ssl.create_default_context()
    digest = b"%d" % n
    for _ in range(2000):
        digest = hashlib.sha256(digest).digest()
    return context.check_hostname + digest[0]


waste = sys.argv[1] == "waste"
kept = None if waste else ssl.create_default_context()
print(sum(checked(n, kept) for n in range(100 if waste else 1500)))
