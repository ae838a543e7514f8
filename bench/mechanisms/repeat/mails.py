import sys
from jinja2 import Environment

TEXT = "Dear {{ name }},{% for i in items %}\n- {{ i }}: {{ loop.index }}{% endfor %}\n{% if total > 9 %}Thanks{% endif %}"
ENV = Environment()
KEPT = ENV.from_string(TEXT)


def mail(n, waste):
    template = ENV.from_string(TEXT) if waste else KEPT
    return template.render(name=f"N{n}", items=["a", "b", "c"] * 20, total=n % 20)


waste = sys.argv[1] == "waste"
print(sum(len(mail(n, waste)) for n in range(2500 if waste else 40000)))
