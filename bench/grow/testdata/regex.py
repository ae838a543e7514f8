"""Finds addresses in a log with a regular expression, and parses JSON: linear, after imports."""
import json
import re
import sys

n = int(sys.argv[1])
log = "\n".join(f"10.{i % 256}.{i // 256 % 256}.7 - GET /page/{i} 200" for i in range(n))
hits = re.findall(r"^(\d+\.\d+\.\d+\.\d+) - (\w+) (/\S*) (\d+)$", log, re.M)
rows = json.loads(json.dumps([{"ip": h[0], "path": h[2]} for h in hits]))
print(len(rows), len({r["ip"] for r in rows}))
