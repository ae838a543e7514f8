"""Feeds unclosed tags to html.parser of Python 3.11.7, quadratic by gh-135462 (CVE-2025-6069)."""
import html.parser
import sys


class Counter(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = 0

    def handle_starttag(self, tag, attrs):
        self.tags += 1


def count(text):
    parser = Counter()
    parser.feed(text)  # GROWS
    parser.close()  # GROWS
    return parser.tags


def well_formed(n):
    return count("<p class='a'>text</p>" * n)  # GROWS


n = int(sys.argv[1])
print(count("<a " * n))
