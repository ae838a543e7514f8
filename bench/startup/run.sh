#!/bin/sh
# Start-up: `whyhot --help` 100 times, in turn with /bin/true, so that what the
# machine itself needs to start a process is known.
#   bench/startup/run.sh
set -eu
cd "$(dirname "$0")/../.."
make -s build
python3 - <<'PY'
import statistics, subprocess, time
def once(*cmd):
    t = time.perf_counter()
    subprocess.run(cmd, stdout=subprocess.DEVNULL, check=True)
    return 1000 * (time.perf_counter() - t)
ours, true = [], []
for _ in range(100):
    ours.append(once("bin/whyhot", "--help"))
    true.append(once("/bin/true"))
for name, xs in ("whyhot --help", ours), ("/bin/true", true):
    xs.sort()
    print(f"{name}: median {statistics.median(xs):.1f} ms, 95 % below {xs[94]:.1f} ms")
PY
