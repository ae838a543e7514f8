"""Second workloads of pairs.py: the pair is a part of a small program with a purpose
of its own, with other data (programs/tasks.*), or of the same program with other
documents. What was learnt from the first workload is held against them.
"""
import json
import os
import random

from pairs import Pair, Side, debian, output


def inputs(w):
    rnd = random.Random(12)
    places = [{"id": i, "title": "A longer title, with \"quotes\" and é, of place %d" % i, "line": [[round(rnd.uniform(-180, 180), 6), round(rnd.uniform(-90, 90), 6)] for _ in range(18)],
               "open": bool(i % 3), "parent": None} for i in range(9000)]
    with open(w.file("places.json"), "w") as f:
        json.dump(places, f, indent=1)
    with open(w.file("places.xml"), "w") as f:
        f.write("<all>" + "".join(f'<place id="{p["id"]}" kind="k{p["id"] % 9}" open="{p["open"]}"><title>A longer text &amp; more of it, {p["id"]}</title>'
                                  + "".join(f"<p><x>{x}</x><y>{y}</y></p>" for x, y in p["line"]) + "</place>\n" for p in places) + "</all>")
    words = [("".join(rnd.choices("etaoinshrdlucm", k=rnd.randrange(2, 11)))) for _ in range(3000)]
    with open(w.file("prose.txt"), "w") as f:
        for _ in range(90000):
            f.write(" ".join(words[int(len(words) * rnd.random() ** 2)] for _ in range(rnd.randrange(4, 16))) + ".\n")


def pairs(w):
    gcc = "GCC " + output("gcc", "-dumpfullversion").strip()
    tasks = w.built("tasks")
    for entry, workload, a, b, what_a, what_b, times in (
            ("exceptions-control-flow", "settings, one in twenty is a word", "settings-throw", "settings-chars", "std::stol that throws", "std::from_chars", 10),
            ("pcre-compile-per-call", "2500 requests of a log, summed by user", "users-each", "users-once", "a std::regex for each", "one std::regex", 2),
            ("std-regex-re2", "20 000 requests of a log, summed by user", "users-std", "users-re2", "std::regex", "RE2 " + debian("libre2-dev"), 8),
            ("vector-bool", "prime numbers to 4 million", "primes-bool", "primes-char", "std::vector<bool>", "std::vector<char>", 20),
            ("small-syscalls", "a line for each step of a simulation", "journal-unbuffered", "journal-buffered", "no buffer", "a buffer of 64 kB", 6),
            ("iostream-fmt", "a table of names and integers", "points-stream", "points-chars", "std::ostringstream", "std::to_chars", 6),
            ("printf-double", "points as JSON", "json-snprintf", "json-chars", "snprintf", "std::to_chars", 5),
            ("strtod-fast-float", "columns of short decimals, summed", "columns-strtod", "columns-chars", "strtod", "std::from_chars", 15),
            ("vector-growth", "meshes of 300 to 1800 triangles", "meshes-grow", "meshes-reserve", "push_back", "reserve, then push_back", 70),
            ("qsort-inline", "120 000 names", "names-qsort", "names-sort", "qsort", "std::sort", 8),
            ("std-map-btree", "words of a log, counted", "words-map", "words-btree", "std::map", "absl::btree_map " + debian("libabsl-dev"), 3),
            ("unordered-map-flat", "words of a log, counted", "words-unordered", "words-flat", "std::unordered_map", "absl::flat_hash_map " + debian("libabsl-dev"), 5),
            ("dynamic-cast", "expressions as trees", "expressions-cast", "expressions-tag", "dynamic_cast", "a tag", 40),
            ("deque-list", "bodies that move and go", "bodies-list", "bodies-vector", "std::list", "std::vector", 1),
            ("getenv-locale", "messages that are not written", "messages-getenv", "messages-once", "getenv each time", "getenv once", 8),
            ("localtime-cache", "lines with a time stamp", "stamps-each", "stamps-kept", "localtime_r and strftime, glibc 2.36", "once a second", 10),
            ("strptime-per-line", "requests by minute", "busiest-strptime", "busiest-digits", "strptime", "digits by position", 15),
            ("printf-text", "a report with tabs", "report-snprintf", "report-chars", "snprintf", "std::to_chars", 12),
            ("page-fault-churn", "frames of 2 MB, inverted", "frames-fresh", "frames-kept", "a buffer for each", "one that is kept", 2)):
        yield Pair(entry, workload, Side([tasks, a, str(times)], f"{what_a}, {gcc}", {"TZ": ":/usr/share/zoneinfo/Europe/Berlin"}), Side([tasks, b, str(times)], what_b, {"TZ": ":/usr/share/zoneinfo/Europe/Berlin"}))
    libraries, data, xml, text = w.built("libraries"), w.file("places.json"), w.file("places.xml"), w.file("prose.txt")
    for entry, workload, a, b, file, times in (
            ("json-nlohmann-simdjson", "9000 places with coordinates", "nlohmann", "simdjson", data, 3),
            ("json-rapidjson-simdjson", "9000 places with coordinates", "rapidjson", "simdjson", data, 6),
            ("boost-ptree-json", "9000 places with coordinates", "ptree", "simdjson", data, 1),
            ("json-c-yyjson", "9000 places with coordinates", "jansson", "simdjson", data, 3),
            ("json-c-yyjson", "9000 places with coordinates", "jsoncpp", "simdjson", data, 3),
            ("xml-pugixml", "9000 places with coordinates", "libxml2", "pugixml", xml, 3),
            ("zlib-oneshot-libdeflate", "5 MB of prose", "zlib", "libdeflate", text, 1),
            ("compression-level", "5 MB of prose", "zlib-9", "zlib", text, 1),
            ("snappy-lz4", "5 MB of prose, in and out", "snappy", "lz4", text, 1),
            ("multi-regex-vectorscan", "60 patterns over prose", "re2-set", "vectorscan", text, 1)):
        yield Pair(entry, workload, Side([libraries, a, file, str(times)], a), Side([libraries, b, file, str(times)], b))
    script = [w.python, os.path.join(w.programs, "tasks.py")]
    work = {"WHYHOT_WORK": w.work}
    for entry, workload, a, b, times in (
            ("python-json", "the centres of 2500 shapes", "centres-json", "centres-orjson", 2),
            ("python-simplejson", "the centres of 2500 shapes", "centres-simplejson", "centres-orjson", 3),
            ("python-bs4", "prices of a shop's list", "prices-soup", "prices-soup-lxml", 2),
            ("python-bs4", "prices of a shop's list", "prices-soup", "prices-lxml", 2),
            ("python-datetime-parse", "requests by hour and host", "hours-dateutil", "hours-iso", 1),
            ("python-strptime", "requests by hour and host", "hours-strptime", "hours-iso", 4),
            ("python-difflib", "the nearest title", "near-difflib", "near-rapidfuzz", 3),
            ("python-jsonschema", "900 orders checked and summed", "stored-jsonschema", "stored-fast", 3),
            ("python-yaml-c", "320 services", "services-python", "services-c", 2),
            ("python-toml", "500 tables", "sections-toml", "sections-tomllib", 8),
            ("python-deepcopy", "moves tried on copies of a board", "board-deepcopy", "board-plain", 8),
            ("python-list-membership", "paths that are not blocked", "unique-list", "unique-set", 5),
            ("python-logging", "a line for each row", "job-debug", "job-quiet", 4),
            ("python-template-compile", "220 mails", "mails-each", "mails-once", 2),
            ("python-eval", "formulas of a sheet", "formulas-each", "formulas-once", 3),
            ("python-networkx", "components and hops of a grid", "routes-networkx", "routes-rustworkx", 2),
            ("python-regex-compile", "lines of a log, by host", "patterns-each", "patterns-once", 3)):
        yield Pair(entry, workload, Side([*script, a, str(times)], a, work), Side([*script, b, str(times)], b, work))
    programs = (["node", "tasks.cjs"], ["perl", "tasks.pl"], ["php", "tasks.php"], ["ruby", "tasks.rb"])
    node, perl, php, ruby = ([program, os.path.join(w.programs, file)] for program, file in programs)
    for entry, workload, command, a, b, times in (
            ("node-eval", "prices by 40 rules", node, "prices-each", "prices-once", 12),
            ("node-json-parse", "settings of each order", node, "settings-each", "settings-once", 6),
            ("node-intl-format", "amounts of invoices", node, "invoice-each", "invoice-once", 3),
            ("node-template-compile", "300 mails", node, "mails-each", "mails-once", 2),
            ("node-moment", "when invoices are due", node, "due-moment", "due-dayjs", 6),
            ("node-log-pino", "a line for each large order", node, "journal-winston", "journal-pino", 3),
            ("node-pure-js-crypto", "tokens of orders", node, "tokens-cryptojs", "tokens-node", 4),
            ("perl-regex-compile", "requests by route", perl, "routes-each", "routes-once", 4),
            ("perl-eval", "a table with 17 formulas", perl, "formulas-each", "formulas-once", 15),
            ("php-date-parse", "requests by hour", php, "days-guessed", "days-digits", 15),
            ("php-array-search", "requests that are not blocked", php, "open-list", "open-set", 3),
            ("ruby-date-parse", "requests by hour", ruby, "hours-parse", "hours-digits", 5),
            ("ruby-template-compile", "900 mails", ruby, "mails-each", "mails-once", 5)):
        yield Pair(entry, workload, Side([*command, a, str(times)], a, {"NODE_PATH": w.node_path}), Side([*command, b, str(times)], b, {"NODE_PATH": w.node_path}))
    program = w.built("go-pairs")
    for entry, workload, a, b, times in (
            ("go-json", "orders, summed by city", "orders-json", "orders-goccy", 4),
            ("go-gzip-klauspost", "60 logs, packed", "archive-gzip", "archive-kgzip", 3),
            ("go-fmt", "keys of a table", "keys-sprintf", "keys-strconv", 3),
            ("go-growslice", "means of windows", "windows-grow", "windows-sized", 12),
            ("go-regexp-compile", "fields of 6000 lines", "fields-each", "fields-once", 3),
            ("go-hash-xxhash", "a Bloom filter of URLs", "filter-fnv", "filter-xxhash", 4),
            ("go-sort-slice", "ranks by score", "ranks-slice", "ranks-func", 4),
            ("go-string-conversion", "tables of 250 rows", "rows-concat", "rows-builder", 2),
            ("go-template-parse", "1500 mails", "mails-each", "mails-once", 3),
            ("go-time-parse", "requests by hour", "hours-parse", "hours-digits", 6),
            ("go-log-zap", "a line for each request", "service-logrus", "service-zap", 1)):
        yield Pair(entry, workload, Side([program, a, str(times)], a), Side([program, b, str(times)], b))
