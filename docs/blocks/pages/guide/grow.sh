#: 10000,20000,40000 => 4000,8000,16000
cat > report.py <<'PY'
import sys


def render(rows):
    out = b""
    for row in rows:
        out = out + b"%d;" % row
    return out


print(len(render(range(int(sys.argv[1])))))
PY
