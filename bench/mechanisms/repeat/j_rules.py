# A program of rules is compiled once for each of its 600 rules at start, and then they are used.
import re


def load_rules():
    return [re.compile(rf"^(a|b{n})+c{{1,{n % 20 + 1}}}(d|e|f{n})?[x-z]*(foo|bar|baz{n})$") for n in range(900)]


rules = load_rules()
print(sum(1 for n in range(1200) for r in rules if r.match(f"ab{n}cc")))
