# Each template is another one: they are compiled, and that is the job.
from jinja2 import Environment


def check(n):
    ENV.from_string("{% for i in x %}{{ i + " + str(n) + " }}{% endfor %}{{ name" + str(n) + " }}")
    return 1


ENV = Environment()
print(sum(check(n) for n in range(2500)))
