"""Pairs of the rows of catalog/tables: libraries of Node.js and Python."""
import os

from pairs import Pair, Side


def pairs(w):
    yield from node(w)
    yield from python(w)


def node(w):
    script = os.path.join(w.programs, "libraries.cjs")
    version = "Node.js " + os.popen("node --version").read().strip()
    n = w.npm
    for entry, workload, a, b, what_a, what_b, times in (
            ("node-yaml", "400 records", "yaml-yaml", "yaml-js-yaml", n("yaml"), n("js-yaml"), 2),
            ("node-json5", "1500 records, plain JSON", "json5", "json", n("json5"), f"JSON.parse of {version}", 4),
            ("node-json-bigint", "1500 records without large numbers", "bigint-package", "bigint-checked", n("json-bigint"), "JSON.parse where no run of 16 digits is", 3),
            ("node-toml", "400 tables", "toml-iarna", "toml-smol", n("@iarna/toml"), n("smol-toml"), 8),
            ("node-csv", "20 000 records, quoted names", "csv-parse", "csv-papaparse", n("csv-parse"), n("papaparse"), 3),
            ("node-csv", "20 000 records, quoted names", "csv-parse", "csv-udsv", n("csv-parse"), n("udsv"), 3),
            ("node-msgpack", "1500 records, there and back", "msgpack-lite", "msgpackr", n("msgpack-lite"), n("msgpackr"), 3),
            ("node-msgpack", "300 records, there and back, CBOR", "cbor", "cbor-x", n("cbor"), n("cbor-x"), 4),
            ("node-validators", "1500 records", "joi", "ajv", n("joi"), n("ajv"), 6),
            ("node-zod3", "4000 records", "zod3", "zod4", n("zod"), n("zod4"), 6),
            ("node-jsdom", "a page of 600 rows", "jsdom", "linkedom", n("jsdom"), n("linkedom"), 1),
            ("node-html-to-markdown", "a page of 600 rows", "turndown", "node-html-markdown", n("turndown"), n("node-html-markdown"), 4),
            ("node-remark", "150 short sections", "micromark", "markdown-it", n("micromark"), n("markdown-it"), 4),
            ("node-highlight-auto", "four lines of JavaScript", "highlight-auto", "highlight-known", n("highlight.js"), "its language given", 1),
            ("node-fuzzy-search", "12 searches among 1200 titles", "search-fuse", "search-ufuzzy", n("fuse.js"), n("@leeoniya/ufuzzy"), 3),
            ("node-levenshtein", "160 000 pairs of titles", "distance-fast", "distance-fastest", n("js-levenshtein"), n("fastest-levenshtein"), 3),
            ("node-crc", "CRC-32 of 12 MB", "crc-crc", "crc-zlib", n("crc"), f"zlib.crc32 of {version}", 4),
            ("node-bignum", "a product of 2500 factors", "bn-bn", "bn-native", n("bn.js"), f"BigInt of {version}", 3),
            ("node-url", "8000 URLs", "url-whatwg", "url-node", n("whatwg-url"), f"URL of {version}", 2),
            ("node-glob-patterns", "5000 paths", "minimatch-each", "minimatch-once", n("minimatch") + ", a pattern for each path", "one Minimatch", 6),
            ("node-proj4", "4000 points", "proj4-each", "proj4-once", n("proj4") + ", definitions for each point", "one converter", 3),
            ("node-css-tools", "500 rules", "cssnano-clean", "cssnano-lightning", n("clean-css"), n("lightningcss"), 2),
            ("node-cache-clones", "150 reads of 200 records", "cache-cloned", "cache-shared", n("node-cache"), "useClones: false", 3)):
        env = {"NODE_PATH": w.node_path}
        yield Pair(entry, workload, Side(["node", script, a, str(times)], what_a, env), Side(["node", script, b, str(times)], what_b, env))


def python(w):
    script = os.path.join(w.programs, "libraries.py")
    p = w.pip
    version = "CPython " + os.popen(w.python + " -c 'import platform;print(platform.python_version())'").read().strip()

    def of(name):
        return f"{name} {p.get(name, '?')}"

    for entry, workload, a, b, what_a, what_b, times in (
            ("python-pdf-text", "text of 12 pages", "pdf_pypdf", "pdf_pdfium", of("pypdf"), of("pypdfium2"), 1),
            ("python-markdown", "150 short sections", "markdown_python", "markdown_cmark", of("markdown"), of("cmarkgfm"), 5),
            ("python-bleach", "a page of 300 rows", "clean_bleach", "clean_nh3", of("bleach"), of("nh3"), 6),
            ("python-xml-dom", "1500 elements", "dom_xmltodict", "dom_etree", of("xmltodict"), "xml.etree.ElementTree", 6),
            ("python-json5", "150 records", "json5_package", "json5_native", of("json5"), of("pyjson5"), 3),
            ("python-pandas-cells", "8000 cells", "cells_iloc", "cells_array", of("pandas"), "to_numpy once", 8),
            ("python-pandas-groupby-apply", "2000 groups", "groups_lambda", "groups_named", of("pandas") + ", a function for each group", "agg by name", 8),
            ("python-numpy-vectorize", "200 000 values", "vectorised", "array_where", "numpy.vectorize", "numpy.where", 12),
            ("python-scipy-stats", "4000 values", "norm_each", "norm_special", of("scipy") + ", norm.cdf of each", "scipy.special.ndtr of each", 2),
            ("python-enum-flags", "200 000 tests of flags", "flags_enum", "flags_int", f"enum.IntFlag of {version}", "int", 1),
            ("python-asdict", "3000 records", "asdict_std", "asdict_plain", f"dataclasses.asdict of {version}", "a dictionary of the fields", 4),
            ("python-csv-dictreader", "40 000 rows", "csv_dicts", "csv_rows", f"csv.DictReader of {version}", "csv.reader", 3),
            ("python-literal-eval", "6000 short lists", "literal_ast", "literal_json", f"ast.literal_eval of {version}", "json.loads", 2),
            ("python-random-values", "200 000 integers", "random_each", "random_array", f"random.randint of {version}", "numpy.random.Generator.integers", 8),
            ("python-email-policy", "400 mails", "mail_default", "mail_compat", f"email.policy.default of {version}", "email.policy.compat32", 1)):
        env = {"WHYHOT_WORK": w.work}
        yield Pair(entry, workload, Side([w.python, script, a, str(times)], what_a, env), Side([w.python, script, b, str(times)], what_b, env))
