"""The pairs that baselines.py measures: which entry of the catalogue, which two commands.

`Where` says where the programs and packages are; setup.sh prepares all of them.
"""
import dataclasses
import json
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
LIB = "/usr/lib/x86_64-linux-gnu/"


@dataclasses.dataclass
class Side:
    command: list
    what: str  # name and version, as the results show it
    env: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Pair:
    entry: str
    workload: str
    baseline: Side
    variant: Side


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def debian(package):
    found = re.search(r"Candidate: (?:\d+:)?([^-+\s]+)", output("apt-cache", "policy", package))
    return found.group(1) if found else "?"


class Where:
    """The directories that setup.sh filled, below one of them."""

    def __init__(self, base, work):
        self.base, self.work = base, work
        self.root = os.path.join(base, "root")  # Debian packages, unpacked
        self.python = os.path.join(base, "python/bin/python")
        self.node_path = os.path.join(base, "node/node_modules")
        self.libs = os.path.join(self.root, "usr/lib/x86_64-linux-gnu")
        self.programs = os.path.join(HERE, "programs")
        listed = json.loads(output(self.python, "-m", "pip", "list", "--format=json") or "[]")
        self.pip = {p["name"].lower().replace("_", "-"): p["version"] for p in listed}

    def file(self, name):
        return os.path.join(self.work, name)

    def built(self, name):
        return os.path.join(self.base, "bin", name)

    def npm(self, name):
        with open(os.path.join(self.node_path, name, "package.json")) as f:
            return f"{name} {json.load(f)['version']}"

    def go_module(self, path):
        with open(os.path.join(self.programs, "go/go.mod")) as f:
            return path.split("/", 1)[-1] + " " + re.search(re.escape(path) + r" (v\S+)", f.read()).group(1)

    def crate(self, name):
        with open(os.path.join(self.programs, "rust/Cargo.lock")) as f:
            return name + " " + re.search(f'name = "{name}"\nversion = "([^"]+)"', f.read()).group(1)


def native(w):
    gcc = "GCC " + output("gcc", "-dumpfullversion").strip()
    old, new = w.built("pairs"), w.built("native")

    def pair(entry, workload, program, a, b, what_a, what_b, times=1, env=None):
        return Pair(entry, workload, Side([program, a, str(times)], what_a, env or {}), Side([program, b, str(times)], what_b, env or {}))

    for entry, workload, a, b, what_a, what_b in (
            ("exceptions-control-flow", "numbers, one in four is bad", "throw", "nothrow", "std::stoi that throws", "std::from_chars"),
            ("pcre-compile-per-call", "60 000 lines", "regex", "regex-once", "a std::regex for each", "one std::regex"),
            ("vector-bool", "copies of 523 flags", "vbool", "vchar8", "std::vector<bool>", "std::vector<char8_t>"),
            ("crc32-hardware", "CRC-32 of 4 MB", "crc-byte", "crc-zlib", "a table, byte by byte", "zlib's crc32"),
            ("small-syscalls", "lines to /dev/null", "write-line", "write-buffer", "write(2) for each line", "one buffer"),
            ("iostream-fmt", "lines of numbers", "ostream", "to_chars", "std::ostringstream", "std::to_chars"),
            ("strtod-fast-float", "parsing doubles", "strtod", "from_chars", "strtod", "std::from_chars"),
            ("printf-double", "writing doubles", "snprintf", "to_chars_double", "snprintf", "std::to_chars"),
            ("vector-growth", "vectors of 1000 integers", "grow", "reserve", "push_back", "reserve, then push_back"),
            ("qsort-inline", "integers", "qsort", "std-sort", "qsort", "std::sort"),
            ("std-map-btree", "a table that is built once", "map", "sorted-vector", "std::map", "sorted std::vector")):
        yield Pair(entry, workload, Side([old, a], f"{what_a}, {gcc}"), Side([old, b], f"{what_b}, {gcc}"))
    berlin = {"TZ": ":" + os.path.join("/usr/share/zoneinfo", "Europe/Berlin")}
    collation = {"LOCPATH": w.file("locales"), "LC_ALL": "en_US.UTF-8"}
    for row in (
            ("dynamic-cast", "1000 objects of three classes", "dynamic-cast", "tag", "dynamic_cast", "a virtual kind()", 3),
            ("shared-ptr-refcount", "calls with a std::shared_ptr, two threads", "shared-value", "shared-reference", "by value", "by const reference", 1),
            ("deque-list", "filled once, walked five times", "list", "vector", "std::list", "std::vector", 8),
            ("priority-queue-heap", "200 000 timers", "priority-queue", "heap4", "std::priority_queue", "a heap of four children", 2),
            ("getenv-locale", "a setting asked for each item", "getenv", "getenv-once", "getenv each time", "getenv once", 1),
            ("printf-text", "two integers and text", "snprintf-text", "to_chars-text", "snprintf", "std::to_chars", 3),
            ("strptime-per-line", "ISO dates", "strptime", "digits", "strptime", "digits by position", 2),
            ("backtrace-runtime", "stacks 20 deep", "backtrace", "no-backtrace", "backtrace() each time", "none", 3),
            ("page-fault-churn", "blocks of 1 MB, filled", "buffers", "buffer-kept", "malloc and free of each", "one that is kept", 1),
            ("mutex-contention", "four threads add", "one-lock", "own-locks", "one mutex", "a mutex for each thread", 6),
            ("futex-pingpong", "items between two threads", "item-by-item", "batches", "one by one", "a hundred at a time", 1),
            ("spin-wait", "waiting for a slow thread", "spin", "block", "sched_yield in a loop", "sem_wait", 1),
            ("checksum-words", "packets of 1500 bytes", "checksum-bytes", "checksum-words", "byte by byte", "by words of 32 bits", 1),
            ("base64-simd", "encoding 30 kB", "base64", "base64-pairs", "bit by bit", "a table of 4096 pairs", 1),
            ("sort-numeric", "1.5 million unsigned integers", "std-sort-numbers", "radix-sort", "std::sort", "radix sort", 1),
            ("memcpy-fresh-buffer", "frames of 4 MB that are only read", "copy-large", "no-copy", "a copy of each", "a reference", 3)):
        yield pair(row[0], row[1], new, row[2], row[3], f"{row[4]}, {gcc}", f"{row[5]}, {gcc}", row[6])
    yield pair("localtime-cache", "time stamps of log lines", new, "localtime", "localtime-cached", "localtime_r and strftime, glibc 2.36", "fields kept for a quarter of an hour", 2, berlin)
    yield pair("locale-collation", "sorting 150 000 words in en_US.UTF-8", new, "strcoll", "bytes-compared", "strcoll, glibc 2.36", "bytes compared", 1, collation)
    yield pair("locale-collation", "sorting 150 000 words in en_US.UTF-8", new, "strcoll", "strxfrm", "strcoll, glibc 2.36", "strxfrm once, bytes compared", 1, collation)
    yield Pair("glibc-malloc-trim", "8 kB blocks, the heap goes up and down", Side([new, "trim"], "glibc 2.36"), Side([new, "trim"], "MALLOC_TRIM_THRESHOLD_=134217728, MALLOC_TOP_PAD_=67108864", {"MALLOC_TRIM_THRESHOLD_": "134217728", "MALLOC_TOP_PAD_": "67108864"}))
    plain, fast = w.built("native-O2"), w.built("native-fast")
    yield Pair("libm-vector", "exp and sin over arrays", Side([plain, "mathematics", "3"], f"libm, {gcc} -O3"), Side([fast, "mathematics", "3"], "libmvec, -O3 -ffast-math -mavx2"))
    for side, workload in (("dynamic-cast", "1000 objects of three classes"), ("priority-queue", "200 000 timers")):
        yield Pair("debug-build", workload, Side([w.built("native-O0"), side], f"{gcc} -O0"), Side([new, side, "1"], f"{gcc} -O2"))
    yield Pair("sanitizer-build", "200 000 timers", Side([w.built("native-asan"), "priority-queue"], f"{gcc} -O2 -fsanitize=address"), Side([new, "priority-queue"], f"{gcc} -O2"))
    yield Pair("pgo-lto-native", "200 000 timers", Side([new, "priority-queue", "3"], f"{gcc} -O2"), Side([w.built("native-pgo"), "priority-queue", "3"], f"{gcc} -O2 -fprofile-use"))


def libraries(w):
    program, text, data, xml = w.built("libraries"), w.file("data.txt"), w.file("data.json"), w.file("data.xml")
    v = {n: debian(p) for n, p in (("absl", "libabsl-dev"), ("re2", "libre2-dev"), ("simdjson", "libsimdjson-dev"), ("nlohmann", "nlohmann-json3-dev"), ("rapidjson", "rapidjson-dev"), ("boost", "libboost1.74-dev"), ("jansson", "libjansson-dev"), ("jsoncpp", "libjsoncpp-dev"), ("libxml2", "libxml2"), ("pugixml", "libpugixml-dev"), ("zlib", "zlib1g"), ("libdeflate", "libdeflate-dev"), ("snappy", "libsnappy-dev"), ("lz4", "liblz4-dev"), ("zstd", "libzstd1"), ("xxhash", "libxxhash-dev"), ("kissfft", "libkissfft-dev"), ("fftw", "libfftw3-dev"), ("vectorscan", "libvectorscan-dev"), ("openssl", "libssl3"), ("sqlite", "libsqlite3-0"), ("pcre2", "libpcre2-dev"), ("png", "libpng16-16"), ("yaml-cpp", "libyaml-cpp-dev"), ("yaml", "libyaml-0-2"))}
    native_program = w.built("native")
    for entry, workload, a, b, what_a, what_b, file, times in (
            ("unordered-map-flat", "600 000 integers, 5 million look-ups", "unordered_map", "flat_hash_map", "std::unordered_map", f"absl::flat_hash_map {v['absl']}", "-", 1),
            ("std-map-btree", "600 000 integers, 5 million look-ups", "map", "btree_map", "std::map", f"absl::btree_map {v['absl']}", "-", 1),
            ("std-regex-re2", "400 000 lines of a log", "std-regex", "re2", "std::regex, GCC 12", f"RE2 {v['re2']}", text, 1),
            ("pcre-jit", "400 000 lines of a log", "pcre2", "pcre2-jit", f"PCRE2 {v['pcre2']} without its JIT compiler", f"PCRE2 {v['pcre2']} with it", text, 1),
            ("json-nlohmann-simdjson", "9 MB of records", "nlohmann", "simdjson", f"nlohmann {v['nlohmann']}", f"simdjson {v['simdjson']}", data, 3),
            ("json-rapidjson-simdjson", "9 MB of records", "rapidjson", "simdjson", f"RapidJSON {v['rapidjson']}", f"simdjson {v['simdjson']}", data, 6),
            ("boost-ptree-json", "9 MB of records", "ptree", "simdjson", f"Boost property_tree {v['boost']}", f"simdjson {v['simdjson']}", data, 1),
            ("json-c-yyjson", "9 MB of records", "jansson", "simdjson", f"Jansson {v['jansson']}", f"simdjson {v['simdjson']}", data, 3),
            ("json-c-yyjson", "9 MB of records", "jsoncpp", "simdjson", f"JsonCpp {v['jsoncpp']}", f"simdjson {v['simdjson']}", data, 2),
            ("xml-pugixml", "300 000 elements", "libxml2", "pugixml", f"libxml2 {v['libxml2']}", f"pugixml {v['pugixml']}", xml, 2),
            ("zlib-oneshot-libdeflate", "10 MB of text, once in and three times out", "zlib", "libdeflate", f"zlib {v['zlib']}", f"libdeflate {v['libdeflate']}", text, 1),
            ("compression-level", "10 MB of text", "zlib-9", "zlib", f"zlib {v['zlib']}, level 9", "level 6", text, 1),
            ("compression-level", "1.5 MB of text", "zstd-19", "zstd-3", f"zstd {v['zstd']}, level 19", "level 3", text, 1),
            ("snappy-lz4", "10 MB of text, in and out", "snappy", "lz4", f"Snappy {v['snappy']}", f"LZ4 {v['lz4']}", text, 1),
            ("fft-kiss", "4096 complex floats", "kissfft", "fftw", f"KISS FFT {v['kissfft']}", f"FFTW {v['fftw']}", "-", 1),
            ("multi-regex-vectorscan", "60 patterns over lines", "re2-set", "vectorscan", f"RE2::Set {v['re2']}", f"Vectorscan {v['vectorscan']}", text, 1),
            ("openssl3-fetch", "SHA-256 of 32 bytes", "digest-by-name", "digest-fetched", f"OpenSSL {v['openssl']}, by name each time", "EVP_MD_fetch once", "-", 1),
            ("sql-prepare", "100 000 look-ups with a join", "sqlite-exec", "sqlite-prepared", f"SQLite {v['sqlite']}, a statement each", "one prepared statement", "-", 1),
            ("sqlite-page-cache", "300 000 random look-ups in 15 MB", "sqlite-cache-small", "sqlite-cache", f"SQLite {v['sqlite']}, cache_size 50", "cache_size 20000", "-", 1),
            ("libpng-filters", "a picture of 1200 × 900", "png-all-filters", "png-sub", f"libpng {v['png']}, all filters", "only the filter Sub", "-", 1)):
        yield Pair(entry, workload, Side([program, a, file, str(times)], what_a), Side([program, b, file, str(times)], what_b))
    for entry, a, what in (("hash-xxh3", "fnv", "FNV-1a, byte by byte"), ("siphash-fast-hash", "siphash", "SipHash-2-4 in C++")):
        yield Pair(entry, "packets of 1500 bytes", Side([native_program, a], what), Side([program, "xxh3", "-"], f"XXH3 {v['xxhash']}"))
    blas = [w.built("blas")]
    yield Pair("blas-reference", "products of 500 × 500 matrices", Side(blas, f"reference BLAS {debian('libblas3')}", {"LD_LIBRARY_PATH": w.libs + "/blas"}),
               Side(blas, f"OpenBLAS {debian('libopenblas0-pthread')}, one thread", {"LD_LIBRARY_PATH": w.libs + "/openblas-pthread", "OPENBLAS_NUM_THREADS": "1"}))


def commands(w):
    text, data, xml, mixed = w.file("data.txt"), w.file("data.json"), w.file("data.xml"), w.file("words.txt")
    preload = {"mimalloc": ("libmimalloc.so.2", "libmimalloc2.0"), "jemalloc": ("libjemalloc.so.2", "libjemalloc2"), "tcmalloc": ("libtcmalloc_minimal.so.4", "libtcmalloc-minimal4")}
    for name, cmd in (("jq, group_by", ["jq", "-c", "group_by(.tags[2])|map(length)", data]), ("xmllint", ["xmllint", "--noout", xml]),
                      ("perl, arrays of fields", ["perl", "-ne", "my @f=split /,/; $h{$f[1]}.=$f[2]; push @a,[@f]; END{print scalar @a}", text]), ("a std::map", [w.built("pairs"), "map"])):
        for lib, (so, package) in preload.items():
            yield Pair("glibc-malloc", name, Side(cmd, "glibc 2.36"), Side(cmd, f"{lib} {debian(package)}", {"LD_PRELOAD": LIB + so}))
    gz = "gzip " + debian("gzip")
    yield Pair("gzip-pigz", "gzip -6 of 10 MB", Side(["gzip", "-6", "-c", text], gz), Side([w.root + "/usr/bin/libdeflate-gzip", "-6", "-c", text], "libdeflate-gzip " + debian("libdeflate-tools")))
    yield Pair("gzip-pigz", "gzip -6 of 10 MB", Side(["gzip", "-6", "-c", text], gz), Side([w.root + "/usr/bin/pigz", "-6", "-c", text], "pigz " + debian("pigz") + " (CPU, not elapsed time)", {"LD_LIBRARY_PATH": w.libs}))
    yield Pair("lzma-level", "10 MB of text", Side(["xz", "-6", "-T1", "-c", text], "xz " + debian("xz-utils") + " -6"), Side(["xz", "-2", "-T1", "-c", text], "xz -2"))
    yield Pair("lzma-level", "10 MB of text", Side(["xz", "-6", "-T1", "-c", text], "xz " + debian("xz-utils") + " -6"), Side(["zstd", "-9", "-c", text], "zstd " + debian("zstd") + " -9"))
    yield Pair("bzip2-parallel", "10 MB of text", Side(["bzip2", "-c", text], "bzip2 " + debian("bzip2")), Side(["zstd", "-9", "-c", text], "zstd " + debian("zstd") + " -9"))
    zng = w.file("zlib-ng")
    if os.path.isdir(zng):
        for name, cmd in (("pigz-free deflate and inflate of 10 MB", [w.built("libraries"), "zlib", text]), ("a picture of 1200 × 900 to PNG", [w.built("libraries"), "png-sub", "-"])):
            yield Pair("zlib-ng", name, Side(cmd, "zlib " + debian("zlib1g")), Side(cmd, "zlib-ng, built from its repository", {"LD_PRELOAD": zng + "/libz.so.1"}))
    grep = "grep " + debian("grep")
    yield Pair("grep-ripgrep", "a pattern with a class, C locale", Side(["grep", "-c", "gamma.*9[0-9]7", mixed], grep), Side([w.root + "/usr/bin/rg", "-c", "gamma.*9[0-9]7", mixed], "ripgrep " + debian("ripgrep")))
    magick = {"LD_LIBRARY_PATH": w.libs, "MAGICK_THREAD_LIMIT": "1", "OMP_NUM_THREADS": "1"}
    yield Pair("imagemagick-vips", "a 6 megapixel JPEG to a tenth", Side([w.root + "/usr/bin/convert-im6.q16", w.file("photo.jpg"), "-resize", "10%", w.file("a.png")], "ImageMagick " + debian("imagemagick"), magick),
               Side([w.root + "/usr/bin/vipsthumbnail", w.file("photo.jpg"), "-s", "300", "-o", w.file("b.png")], "libvips " + debian("libvips-tools"), {"LD_LIBRARY_PATH": w.libs, "VIPS_CONCURRENCY": "1"}))
    ld = w.file("link")
    if os.path.isdir(ld):
        objects = sorted(os.path.join(ld, f) for f in os.listdir(ld) if f.endswith(".o"))
        yield Pair("ld-mold", "a program of %d object files" % len(objects), Side(["g++", "-o", ld + "/a", *objects], "GNU ld " + debian("binutils")), Side(["g++", "-B" + w.file("mold"), "-o", ld + "/b", *objects], "mold " + debian("mold"), {"LD_LIBRARY_PATH": w.libs}))
    lua = {"LD_LIBRARY_PATH": w.libs}
    script = os.path.join(w.programs, "pairs.lua")
    yield Pair("lua-luajit", "loops, strings and tables", Side([w.root + "/usr/bin/lua5.4", script], "Lua " + debian("lua5.4"), lua), Side([w.root + "/usr/bin/luajit", script], "LuaJIT " + debian("luajit"), lua))


def python(w):
    version = "CPython " + output(w.python, "-c", "import platform;print(platform.python_version())").strip()
    script = os.path.join(w.programs, "pairs.py")
    p = w.pip

    def side(name, times, what):
        return Side([w.python, script, name, str(times)], what, {"WHYHOT_WORK": w.work})

    def of(*names):
        return ", ".join(f"{n} {p.get(n, '?')}" for n in names)

    for entry, workload, a, b, what_a, what_b, times in (
            ("python-json", "loads and dumps of records", "json_stdlib", "json_orjson", f"json of {version}", of("orjson"), 3),
            ("python-simplejson", "loads and dumps of records", "json_simplejson", "json_orjson", of("simplejson"), of("orjson"), 4),
            ("python-bs4", "a page of 1200 rows", "soup_html_parser", "soup_lxml", of("beautifulsoup4") + ", html.parser", of("beautifulsoup4", "lxml"), 3),
            ("python-bs4", "a page of 1200 rows", "soup_html_parser", "lxml_html", of("beautifulsoup4") + ", html.parser", of("lxml"), 3),
            ("python-datetime-parse", "ISO dates", "dates_dateutil", "dates_iso", of("python-dateutil"), f"datetime.fromisoformat of {version}", 1),
            ("python-strptime", "ISO dates", "strptime", "fromisoformat", f"datetime.strptime of {version}", "datetime.fromisoformat", 2),
            ("python-difflib", "pairs of short names", "ratio_difflib", "ratio_rapidfuzz", f"difflib of {version}", of("rapidfuzz"), 8),
            ("python-gzip-isal", "gzip.compress of 3 MB", "gzip_stdlib", "gzip_isal", f"gzip of {version}, level 9", of("isal") + ", its default level", 1),
            ("python-gzip-isal", "gzip.compress of 3 MB", "gzip_stdlib", "gzip_zlib_ng", f"gzip of {version}, level 9", of("zlib-ng") + ", level 9", 1),
            ("python-jsonschema", "3000 records", "schema_jsonschema", "schema_fast", of("jsonschema"), of("fastjsonschema"), 3),
            ("python-networkx", "shortest paths, 12 000 edges", "paths_networkx", "paths_rustworkx", of("networkx"), of("rustworkx"), 2),
            ("python-openpyxl", "6000 rows of a sheet", "sheet_openpyxl", "sheet_calamine", of("openpyxl"), of("python-calamine"), 3),
            ("python-pydantic", "3000 records with a nested one", "models_marshmallow", "models_pydantic", of("marshmallow"), of("pydantic"), 4),
            ("python-pydantic", "3000 records with a nested one", "models_marshmallow", "models_msgspec", of("marshmallow"), of("msgspec"), 4),
            ("python-toml", "1200 tables", "toml_toml", "toml_tomllib", of("toml"), f"tomllib of {version}", 8),
            ("python-deepcopy", "a record of five fields", "deepcopies", "plain_copies", "copy.deepcopy", "a copy written by hand", 3),
            ("python-gc", "300 000 containers that are kept", "gc_on", "gc_frozen", f"{version}", "gc.disable()", 3),
            ("python-list-membership", "2500 names", "membership_list", "membership_set", "in a list", "in a set", 8),
            ("python-logging", "25 000 lines", "logs_formatted", "logs_off", f"logging of {version}, every line formatted", "level WARNING", 3),
            ("python-pandas-apply", "20 000 rows", "rows_apply", "columns", of("pandas") + ", apply by row", "whole columns", 3),
            ("python-regex-compile", "2000 patterns", "regex_by_value", "regex_union", "a pattern for each value", "one pattern with a group", 4),
            ("python-regex", "4000 lines", "regex_plain", "regex_re2", f"re of {version}", of("google-re2"), 3),
            ("python-asyncio-uvloop", "echo of 6000 lines", "asyncio_loop", "uvloop_loop", f"asyncio of {version}", of("uvloop"), 2),
            ("python-redis-hiredis", "replies of 200 values", "redis_python", "redis_hiredis", of("redis"), of("hiredis"), 2),
            ("x509-store-per-client", "15 clients", "contexts_each", "context_once", "a TLS context for each", "one context", 2),
            ("python-template-compile", "150 pages", "jinja_each", "jinja_once", of("jinja2") + ", a Template for each", "one Template", 3),
            ("python-eval", "20 000 expressions", "eval_each", "eval_once", f"eval of text, {version}", "compiled once", 2),
            ("python-pillow-resize", "1600 × 1200 to 640 × 480", "resize_pillow", "resize_reduced", of("pillow"), "the same with reducing_gap", 1),
            ("python-import", "pandas, SQLAlchemy and NetworkX", "import_heavy", "import_lazy", "imported at the start", "not imported", 1),
            ("sql-prepare", "40 000 look-ups from Python", "sqlite_uncached", "sqlite_cached", "sqlite3, cached_statements=0", "the default cache", 2)):
        yield Pair(entry, workload, side(a, times, what_a), side(b, times, what_b))
    yaml = "import yaml;s='\\n'.join('- {a: %%d, b: [x, y], c: {k: v%%d}}' %% (i, i) for i in range(2500));yaml.load(s,Loader=yaml.%s)"
    yield Pair("python-yaml-c", "2500 flow mappings", Side([w.python, "-c", yaml % "SafeLoader"], of("pyyaml") + ", SafeLoader"), Side([w.python, "-c", yaml % "CSafeLoader"], "CSafeLoader"))
    old = os.environ.get("OLD_PYTHON", "")
    if old:
        was = "CPython " + output(old, "-c", "import platform;print(platform.python_version())").strip()
        yield Pair("python-old-interpreter", "arithmetic and calls", Side([old, script, "plain_work", "2"], was), Side([w.python, script, "plain_work", "2"], version))


def node(w):
    version = "Node.js " + output("node", "--version").strip()
    script, env = os.path.join(w.programs, "pairs.cjs"), {"NODE_PATH": w.node_path}
    for entry, workload, a, b, what_a, what_b, times in (
            ("node-clone", "400 records", "clone-lodash", "clone-structured", w.npm("lodash"), f"structuredClone of {version}", 4),
            ("node-clone", "400 records", "clone-lodash", "clone-rfdc", w.npm("lodash"), w.npm("rfdc"), 4),
            ("node-isequal", "400 records", "equal-lodash", "equal-fast", w.npm("lodash"), w.npm("fast-deep-equal"), 3),
            ("node-json-stringify", "400 records", "stringify", "stringify-schema", f"JSON.stringify of {version}", w.npm("fast-json-stringify"), 8),
            ("node-json-parse", "the same 400 records", "parse-each", "parse-kept", "JSON.parse each time", "parsed once", 8),
            ("node-log-pino", "12 000 lines", "log-winston", "log-pino", w.npm("winston"), w.npm("pino"), 3),
            ("node-moment", "parse, add, format", "date-moment", "date-dayjs", w.npm("moment"), w.npm("dayjs"), 4),
            ("node-pure-js-crypto", "SHA-256 of 4 kB", "sha-cryptojs", "sha-node", w.npm("crypto-js"), f"node:crypto of {version}", 6),
            ("node-uuid", "60 000 with random bytes of their own", "uuid-package", "uuid-node", w.npm("uuid"), f"crypto.randomUUID of {version}", 2),
            ("node-jimp-sharp", "1200 × 900 to 300 wide, JPEG", "resize-jimp", "resize-sharp", w.npm("jimp"), w.npm("sharp"), 3),
            ("node-bundlers", "minifying 170 kB", "minify-terser", "minify-esbuild", w.npm("terser"), w.npm("esbuild"), 1),
            ("node-express", "3000 requests", "express", "fastify", w.npm("express"), w.npm("fastify"), 1),
            ("node-locale-compare", "sorting 60 000 names in German", "sort-localecompare", "sort-collator", f"localeCompare of {version}", "one Intl.Collator", 2),
            ("node-intl-format", "5000 dates in German", "format-each", "format-kept", f"toLocaleDateString of {version}", "one Intl.DateTimeFormat", 2),
            ("node-template-compile", "400 pages", "template-each", "template-once", w.npm("handlebars") + ", compiled for each", "compiled once", 2),
            ("node-eval", "30 000 expressions", "function-each", "function-once", "new Function for each", "one function", 2),
            ("node-sync-io", "gzipSync of 300 kB", "sync-gzip", "sync-gzip-1", "level 9", "level 1", 3)):
        yield Pair(entry, workload, Side(["node", script, a, str(times)], what_a, env), Side(["node", script, b, str(times)], what_b, env))
    loop = ["node", w.file("a.js")]
    yield Pair("node-gc", "JSON in and out", Side(loop, version), Side(loop, "--max-semi-space-size=64", {"NODE_OPTIONS": "--max-semi-space-size=64"}))


def golang(w):
    version = output("go", "env", "GOVERSION").strip().replace("go", "Go ")
    program = w.built("go-pairs")
    for entry, workload, a, b, what_a, what_b, times in (
            ("go-json", "6000 records, four times in and out", "json", "goccy", f"encoding/json of {version}", w.go_module("github.com/goccy/go-json"), 6),
            ("go-json", "6000 records, four times in and out", "json", "sonic", f"encoding/json of {version}", w.go_module("github.com/bytedance/sonic"), 6),
            ("go-gzip-klauspost", "6 MB of text", "gzip", "klauspost-gzip", f"compress/gzip of {version}", w.go_module("github.com/klauspost/compress"), 2),
            ("go-fmt", "a number and text", "sprintf", "strconv", "fmt.Sprintf", "strconv.AppendInt", 3),
            ("go-growslice", "slices of 1000 integers", "grow", "sized", "append", "make with the capacity", 3),
            ("go-regexp-compile", "20 000 lines", "regexp-each", "regexp-once", "compiled for each line", "compiled once", 4),
            ("go-regexp", "200 000 lines", "regexp", "cut", f"regexp of {version}", "strings.Cut", 4),
            ("go-hash-xxhash", "1500 bytes", "fnv", "xxhash", "hash/fnv", w.go_module("github.com/cespare/xxhash/v2"), 1),
            ("go-log-zap", "150 000 lines with two fields", "logrus", "zap", w.go_module("github.com/sirupsen/logrus"), w.go_module("go.uber.org/zap"), 1),
            ("go-sort-slice", "400 000 strings", "sort-slice", "slices-sort", f"sort.Slice of {version}", "slices.Sort", 3),
            ("go-string-conversion", "12 000 pieces", "concat", "builder", "s += piece", "strings.Builder", 3),
            ("go-template-parse", "2500 pages", "template-each", "template-once", "html/template, parsed for each", "parsed once", 3),
            ("go-time-parse", "2 million dates", "time-parse", "time-digits", f"time.Parse of {version}", "digits by position", 2),
            ("go-time-parse", "8000 dates", "load-location", "location-once", "time.LoadLocation each time", "once", 4),
            ("go-http-fasthttp", "15 000 requests on one connection", "net-http", "fasthttp", f"net/http of {version}", w.go_module("github.com/valyala/fasthttp"), 1)):
        yield Pair(entry, workload, Side([program, a, str(times)], what_a), Side([program, b, str(times)], what_b))
    trees = [program, "trees", "6"]
    yield Pair("go-gc", "short-lived trees beside a kept one", Side(trees, f"{version}, GOGC=100"), Side(trees, "GOGC=400", {"GOGC": "400"}))
    yield Pair("go-pgo", "6000 records in and out", Side([program, "json", "8"], version), Side([w.built("go-pairs-pgo"), "json", "8"], "-pgo of this run"))


def rust(w):
    version = "Rust " + output("rustc", "--version").split()[1]
    program = w.built("rust-pairs")
    for entry, workload, a, b, what_a, what_b, times in (
            ("rust-serde-json", "30 000 records, parsed", "serde_json", "simd-json", w.crate("serde_json"), w.crate("simd-json"), 3),
            ("rust-siphash", "8 million counts by integer", "siphash", "fxhash", f"HashMap of {version}", w.crate("rustc-hash"), 1),
            ("rust-siphash", "8 million counts by integer", "siphash", "ahash", f"HashMap of {version}", w.crate("ahash"), 1),
            ("rust-fmt", "two integers", "format", "itoa", f"format! of {version}", w.crate("itoa") + ", a String that is kept", 2),
            ("rust-fmt", "two integers", "format", "write", f"format! of {version}", "write! into a String that is kept", 2),
            ("rust-flate2", "5 MB of text", "miniz", "libdeflate", w.crate("flate2") + ", miniz_oxide", w.crate("libdeflater"), 2),
            ("rust-clone", "2000 records", "clone", "borrow", "clone()", "a reference", 4),
            ("rust-template-parse", "4000 pages", "handlebars-each", "handlebars-once", w.crate("handlebars") + ", render_template", "registered once", 1),
            ("rust-template-parse", "4000 pages", "tera-each", "tera-once", w.crate("tera") + ", one_off", "added once", 1),
            ("rust-template-parse", "4000 pages", "minijinja-each", "minijinja-once", w.crate("minijinja") + ", render_str", "added once", 1),
            ("rust-date-parse", "300 000 dates", "chrono", "chrono-items", w.crate("chrono") + ", parse_from_str", "the format read once", 2),
            ("rust-date-parse", "300 000 dates", "chrono", "digits", w.crate("chrono") + ", parse_from_str", "digits by position", 2),
            ("rust-date-parse", "300 000 dates", "time-each", "time", w.crate("time") + ", the format read for each", "read once", 2),
            ("rust-regex-compile", "4000 lines", "regex-each", "regex-once", w.crate("regex") + ", compiled for each line", "compiled once", 1),
            ("rust-mutex", "four threads add", "mutex", "parking-lot", f"std::sync::Mutex of {version}", w.crate("parking_lot"), 2),
            ("rust-mutex", "four threads add", "mutex", "atomic", f"std::sync::Mutex of {version}", "AtomicU64", 2)):
        yield Pair(entry, workload, Side([program, a, str(times)], what_a), Side([program, b, str(times)], what_b))


def java(w):
    version = "OpenJDK " + debian("openjdk-17-jdk-headless")
    run = ["java", "-XX:+PreserveFramePointer", "-cp", w.built("java"), "Pairs"]
    for entry, workload, a, b, what_a, what_b, times in (
            ("java-exceptions", "numbers, every second is bad", "exceptions", "no-exceptions", "NumberFormatException", "digits tested", 2),
            ("java-string-format", "a number and text", "format", "concatenate", "String.format", "concatenation", 1),
            ("java-date-format", "150 000 dates", "simple-date", "date-formatter", "a SimpleDateFormat for each", "one DateTimeFormatter", 1),
            ("java-hashmap-boxing", "3 million counts by long", "boxed", "primitive", "HashMap<Long, Long>", "arrays with open addressing", 1),
            ("java-random", "four threads", "random-shared", "random-own", "one Random", "ThreadLocalRandom", 3),
            ("java-regex-compile", "400 000 lines", "regex-each", "regex-once", "Pattern.compile for each", "one Pattern", 1),
            ("java-serialization", "6000 objects, in and out", "objects", "fields", "ObjectOutputStream", "fields by DataOutputStream", 1),
            ("java-reflection", "3 million calls", "reflect-lookup", "reflect-kept", "getMethod each time", "one Method", 3),
            ("java-collator", "sorting 60 000 names in German", "collator", "collation-keys", "Collator.compare", "collation keys, once each", 1),
            ("java-double-parse", "1.5 million decimals", "parse-double", "parse-long", "Double.parseDouble", "Long.parseLong of fixed decimals", 2)):
        yield Pair(entry, workload, Side([*run, a, str(times)], f"{what_a}, {version}"), Side([*run, b, str(times)], what_b))
    jars = os.path.join(w.base, "java-jars")
    libraries = ["java", "-cp", w.built("java") + ":" + jars + "/*", "Libraries"]
    jar = {m.group(1): f"{m.group(1)} {m.group(2)}" for m in (re.match(r"(.+)-(\d\S*)\.jar$", f) for f in sorted(os.listdir(jars))) if m}
    for entry, workload, a, b, what_a, what_b, times in (
            ("java-mapper-per-call", "1500 rows to XML and back", "jaxb-each", "jaxb-once", jar["jaxb-runtime"] + ", a JAXBContext for each", "one JAXBContext", 1),
            ("java-mapper-per-call", "4000 rows", "mapper-each", "mapper-once", jar["modelmapper"] + ", a ModelMapper for each", "one ModelMapper", 1),
            ("java-bean-copy", "300 000 beans", "beans-copied", "beans-by-hand", jar["commons-beanutils"] + ", copyProperties", "setters", 1),
            ("java-spin", "a message each 5 ms", "queue-backoff", "queue-sleep", jar["agrona"] + ", BackoffIdleStrategy", "SleepingMillisIdleStrategy", 1),
            ("java-spin", "an event each 5 ms", "ring-yield", "ring-block", jar["disruptor"] + ", YieldingWaitStrategy", "BlockingWaitStrategy", 1),
            ("telemetry-overhead", "400 000 spans", "spans-all", "spans-sampled", jar["opentelemetry-sdk"] + ", all exported one by one", "one in twenty, in batches", 1)):
        yield Pair(entry, workload, Side([*libraries, a, str(times)], what_a), Side([*libraries, b, str(times)], what_b))
    garbage = ["garbage", "3"]
    yield Pair("java-gc", "short-lived arrays beside kept ones", Side([*run, *garbage], f"{version}, G1"), Side(["java", "-XX:+UseSerialGC", *run[1:], *garbage], "-XX:+UseSerialGC"))
    yield Pair("java-gc", "short-lived arrays beside kept ones", Side([*run, *garbage], f"{version}, G1"), Side(["java", "-XX:+UseParallelGC", "-Xmn400m", *run[1:], *garbage], "-XX:+UseParallelGC -Xmn400m"))


def scripts(w):
    ruby, php, perl = ("Ruby " + debian("ruby3.1"), "PHP " + debian("php8.2-cli"), "Perl " + debian("perl"))
    rb = ["ruby", "-I", w.root + "/usr/lib/ruby/vendor_ruby", "-I", w.libs + "/ruby/vendor_ruby/3.1.0", os.path.join(w.programs, "pairs.rb")]
    for entry, workload, a, b, what_a, what_b, times in (
            ("ruby-json", "4000 records", "json", "oj", f"json of {ruby}", "Oj " + debian("ruby-oj"), 4),
            ("ruby-date-parse", "40 000 dates", "date-parse", "date-strptime", f"DateTime.parse of {ruby}", "DateTime.strptime", 2),
            ("ruby-date-parse", "40 000 dates", "date-parse", "time-digits", f"DateTime.parse of {ruby}", "Time.utc with digits by position", 2),
            ("ruby-template-compile", "2500 pages", "erb-each", "erb-once", f"ERB.new for each, {ruby}", "compiled to a method", 3)):
        yield Pair(entry, workload, Side([*rb, a, str(times)], what_a), Side([*rb, b, str(times)], what_b))
    yield Pair("ruby-yjit", "arithmetic in a block", Side([*rb, "loops", "4"], ruby), Side(["ruby", "--yjit", *rb[1:], "loops", "4"], f"{ruby} --yjit"))
    heap = {"RUBY_GC_HEAP_INIT_SLOTS": "2000000", "RUBY_GC_HEAP_GROWTH_FACTOR": "2.5"}
    yield Pair("ruby-gc", "600 000 short-lived arrays", Side([*rb, "objects", "3"], ruby), Side([*rb, "objects", "3"], "RUBY_GC_HEAP_INIT_SLOTS=2000000, growth factor 2.5", heap))
    igbinary = output("find", w.root, "-name", "igbinary.so").split()
    ph = ["php", "-d", "memory_limit=2G", *(["-d", "extension=" + igbinary[0]] if igbinary else []), os.path.join(w.programs, "pairs.php")]
    for entry, workload, a, b, what_a, what_b, times in (
            ("php-serialize", "20 000 records", "serialize", "igbinary", f"serialize of {php}", "igbinary " + debian("php-igbinary"), 4),
            ("php-date-parse", "250 000 dates", "date-create", "date-digits", f"new DateTime of {php}", "digits by position", 2),
            ("php-eval", "120 000 expressions", "eval-each", "eval-none", f"eval of {php}", "a closure", 3),
            ("php-array-search", "2500 names", "in-array", "isset", "in_array", "isset of keys", 3)):
        yield Pair(entry, workload, Side([*ph, a, str(times)], what_a), Side([*ph, b, str(times)], what_b))
    pl = ["perl", os.path.join(w.programs, "pairs.pl")]
    for entry, workload, a, b, what_a, what_b, times, env in (
            ("perl-regex-compile", "three words over 60 000 lines", "regex-each", "regex-once", f"patterns with a variable, {perl}", "qr// outside the loop", 2, {}),
            ("perl-eval", "15 000 expressions", "eval-each", "eval-none", f"eval of text, {perl}", "code", 3, {}),
            ("localtime-cache", "200 000 dates from Perl", "mktime", "timegm", "POSIX::mktime, TZ not set", "Time::Local::timegm_modern", 1, {}),
            ("locale-collation", "sorting 60 000 words in en_US.UTF-8", "sort-locale", "sort-bytes", f"use locale, {perl}", "no locale", 2, {"LOCPATH": w.file("locales"), "LC_ALL": "en_US.UTF-8"})):
        yield Pair(entry, workload, Side([*pl, a, str(times)], what_a, env), Side([*pl, b, str(times)], what_b, env))


GROUPS = {"native": native, "libraries": libraries, "commands": commands, "python": python, "node": node, "go": golang, "rust": rust, "java": java, "scripts": scripts}
