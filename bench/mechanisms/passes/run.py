#!/usr/bin/env python3
"""Records the programs of this directory, and says whether the pass rules name their lines.

    run.py WHYHOT DIR [NAME…]

The recordings are kept in DIR and used again. Programs of alike have no waste.
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "growth"))
from run import command  # noqa: E402

RULES = {"same-per-pass", "scan-per-pass", "busy-wait"}


def main():
    whyhot, to = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    to.mkdir(parents=True, exist_ok=True)
    named = wrong = 0
    for source in sorted(HERE.glob("waste/*")) + sorted(HERE.glob("alike/*")):
        if sys.argv[3:] and source.name not in sys.argv[3:]:
            continue
        path = to / f"{source.parent.name}-{source.name}.pb.gz"
        if not path.exists():
            subprocess.run([whyhot, "record", "-o", str(path), "--", *command(source, to)], check=True, capture_output=True, cwd=to)
        report = json.loads(subprocess.run([whyhot, "explain", "--json", str(path)], check=True, capture_output=True, text=True, cwd=source.parent).stdout)
        lines = [i for i, text in enumerate(source.read_text().splitlines(), 1) if "WASTE" in text]
        said = [(f["rule"], f["place"].get("line", 0)) for f in report["findings"] or [] if f["rule"] in RULES]
        hit = any(line in lines for _, line in said)
        named += hit
        wrong += sum(line not in lines for _, line in said)
        print(f"{source.parent.name}/{source.name} | {', '.join(f'{r}:{n}' for r, n in said) or '–'} | {'named' if hit else 'not named' if lines else ''}", flush=True)
    print(f"{named} named; {wrong} wrong")


if __name__ == "__main__":
    main()
