#!/usr/bin/env bash
# Time and peak memory of reading an image: directories of this machine as an archive of
# one layer, as docker save writes it, and in place.
# usage: bench/images/run.sh WORKDIR [DIR…]   directories below /, such as usr/bin
set -euo pipefail
work=$1
shift
[ $# -gt 0 ] || set -- usr/bin usr/share var/lib/dpkg
bin=$(cd "$(dirname "$0")/../.." && pwd)/bin
rm -rf "$work" && mkdir -p "$work/image" "$work/root"
tar -C / --one-file-system -cf "$work/image/layer.tar" etc/os-release usr/lib/os-release "$@"
diff=$(sha256sum < "$work/image/layer.tar" | cut -d' ' -f1)
printf '{"architecture":"%s","os":"linux","rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' "$(dpkg --print-architecture)" "$diff" > "$work/image/config.json"
printf '[{"Config":"config.json","RepoTags":["bench:1"],"Layers":["layer.tar"]}]' > "$work/image/manifest.json"
tar -C "$work/image" -cf "$work/image.tar" manifest.json config.json layer.tar
tar -C "$work/root" -xf "$work/image/layer.tar"
rm -r "$work/image"
echo "archive: $(stat -c %s "$work/image.tar") bytes, $(tar -tf "$work/image.tar" > /dev/null && find "$work/root" | wc -l) files; load $(cut -d' ' -f1 /proc/loadavg)"
for what in image.tar root; do
  for round in 1 2 3; do
    printf '{"version":1,"image":"%s"}' "$work/$what" |
      /usr/bin/time -f "$what $round: %e s, %U s user, %S s system, %M kB" "$bin/whyhot-images" > "$work/answer.json"
  done
  python3 -c 'import json,sys,collections; d=json.load(open(sys.argv[1])); print(dict(collections.Counter(p["kind"] for p in d["packages"])), len(d.get("notes",[])), "notes")' "$work/answer.json"
done
