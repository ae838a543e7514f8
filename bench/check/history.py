#!/usr/bin/env python3
"""Whether `whyhot check` is right about what happened in real projects.

  history.py run WHYHOT OUT [NAME...]   checks pairs of versions, one at a time
  history.py table OUT                  the table of bench/check.md

Each pair is a small program on a library, in a repository whose change raises the version
of that library; some are known to have become slower or faster with it, others changed
elsewhere. Packages come from pip, npm, the Go proxy, crates.io and Maven Central by their
usual clients; C and C++ from git repositories in the directory SOURCES, such as
SOURCES/madler+zlib/repo. OUT gets one line of JSON a check, as it ends.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PIP = "python3 -m pip install -q --no-compile --target vendor --upgrade -r requirements.txt && python3 -m compileall -q --invalidation-mode unchecked-hash vendor"
PYTHON = ("env", "PYTHONPATH=vendor", "PYTHONHASHSEED=0", "python3", "main.py")
NPM = "npm install --silent --no-audit --no-fund"
MAVEN = "mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib && javac -cp 'lib/*' Main.java"
JAVA = ("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", ".:lib/*", "Main")


def pip(package, before, after, text):
    return {"files": {"requirements.txt": package + "=={version}\n", "main.py": text}, "build": PIP, "run": PYTHON, "before": before, "after": after, "ignore": "vendor"}


def npm(package, before, after, text):
    return {
        "files": {"package.json": '{{"name": "bench", "dependencies": {{"' + package + '": "{version}"}}}}\n', "main.js": text},
        "build": NPM, "run": ("node", "main.js"), "before": before, "after": after, "ignore": "node_modules\npackage-lock.json",
    }


def go(module, before, after, text):
    return {
        "files": {"go.mod": "module bench\n\ngo 1.22\n\nrequire " + module + " {version}\n", "main.go": text},
        "build": "go mod tidy && go build -trimpath -o prog .", "run": ("./prog",), "before": before, "after": after, "ignore": "prog\ngo.sum",
    }


def cargo(package, before, after, text):
    return {
        "files": {"Cargo.toml": '[package]\nname = "bench"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n' + package + ' = "={version}"\n', "src/main.rs": text},
        "build": "cargo build -q --release", "run": ("target/release/bench",), "before": before, "after": after, "ignore": "target\nCargo.lock",
    }


def maven(package, before, after, text):
    group, artifact = package.split(":")
    return {
        "files": {
            "pom.xml": "<project><modelVersion>4.0.0</modelVersion><groupId>b</groupId><artifactId>b</artifactId><version>1</version><dependencies><dependency>"
            f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{{version}}</version></dependency></dependencies></project>\n",
            "Main.java": text,
        },
        "build": MAVEN, "run": JAVA, "before": before, "after": after, "ignore": "lib\n*.class",
    }


def source(repository, before, after, name, text, compile_, paths=""):
    unpack = f'rm -rf lib && mkdir lib && git --git-dir "$SOURCES/{repository}/repo" archive "$(cat version)" {paths} | tar -x -C lib && '
    return {"files": {"version": "{version}\n", name: text}, "build": unpack + compile_, "run": ("./prog",), "before": before, "after": after, "ignore": "lib\nprog"}


def go_loop(module, body):
    """A program that does something with a module n times and prints a sum."""
    return f'''package main

import (
	"fmt"

	"{module}"
)

func main() {{{{
	n := 0
	for i := 0; i < {{n}}; i++ {{{{
{body}
	}}}}
	fmt.Println(n > 0)
}}}}
'''


UUID = go_loop("github.com/google/uuid", """\t\tu, err := uuid.Parse("f47ac10b-58cc-4372-a567-0e02b2c3d479")
		if err != nil {{
			panic(err)
		}}
		n += len(u.String())""")
RUNEWIDTH = go_loop("github.com/mattn/go-runewidth", """\t\tn += runewidth.StringWidth("a line of plain text, つのだ☆HIRO, and of some more")""")
HTML = """package main

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
)

func main() {{
	text := {text}
	n := 0
	for i := 0; i < {n}; i++ {{
		doc, err := html.Parse(strings.NewReader(text))
		if err != nil || doc == nil {{
			panic(err)
		}}
		n++
	}}
	fmt.Println(n)
}}
"""
SEMVER = """use semver::{{Version, VersionReq}};

fn main() {{
    let mut n = 0usize;
    for i in 0..{n}u64 {{
        let v = Version::parse(&format!("1.{{}}.{{}}-rc.{{}}+build.5", i % 97, i % 13, i % 7)).unwrap();
        let r = VersionReq::parse(">=1.2.3, <2.0.0").unwrap();
        n += r.matches(&v) as usize + v.patch as usize;
    }}
    println!("{{}}", n > 0);
}}
"""
WIDTH = """use unicode_width::UnicodeWidthStr;

fn main() {{
    let mut n = 0usize;
    let text = std::hint::black_box("a line of plain text, つのだ☆HIRO, and of some more");
    for _ in 0..{n} {{
        n += std::hint::black_box(text).width();
    }}
    println!("{{}}", n > 0);
}}
"""
JACKSON = """import com.fasterxml.jackson.core.*;

public class Main {{
    public static void main(String[] a) throws Exception {{
        String text = {text};
        JsonFactory f = new JsonFactory();
        long n = 0;
        for (int i = 0; i < {n}; i++) {{
            try (JsonParser p = f.createParser(text)) {{
                for (JsonToken t = p.nextToken(); t != null; t = p.nextToken()) {{
                    n += {value};
                }}
            }}
        }}
        System.out.println(n != 0);
    }}
}}
"""
GSON = """import com.google.gson.*;

public class Main {{
    public static void main(String[] a) {{
        String text = "[" + "{{\\"id\\": 17, \\"name\\": \\"something\\", \\"price\\": 1.25, \\"tags\\": [\\"a\\", \\"b\\"]}},".repeat(200) + "{{}}]";
        long n = 0;
        for (int i = 0; i < {n}; i++) {{
            n += JsonParser.parseString(text).getAsJsonArray().size();
        }}
        System.out.println(n);
    }}
}}
"""
CRC = """#include <stdio.h>
#include <stdlib.h>
#include "lib/zlib.h"

int main(void) {{
    static unsigned char data[1 << 20], to[1 << 21];
    for (unsigned i = 0; i < sizeof data; i++) data[i] = "abcdefgh"[(i * 2654435761u >> 13) & 7];
    uLong sum = 0;
    for (int i = 0; i < {n}; i++) {{
        {work}
    }}
    printf("%d\\n", sum != 1);
    return 0;
}}
"""
ZLIB = "cd lib && gcc -O2 -g -w -DHAVE_UNISTD_H -DHAVE_STDARG_H -c adler32.c crc32.c deflate.c trees.c inflate.c inftrees.c inffast.c zutil.c compress.c uncompr.c && cd .. && gcc -O2 -g -o prog main.c lib/*.o"
EXPAT = """#include <stdio.h>
#include <string.h>
#include "lib/expat/lib/expat.h"

static long seen;
static void start(void *d, const XML_Char *name, const XML_Char **attr) {{ seen++; }}

int main(void) {{
    for (int i = 0; i < {n}; i++) {{
        XML_Parser p = XML_ParserCreate(NULL);
        XML_SetStartElementHandler(p, start);
        XML_Parse(p, "<r>", 3, 0);
        {work}
        XML_Parse(p, "</r>", 4, 1);
        XML_ParserFree(p);
    }}
    printf("%d\\n", seen > 0);
    return 0;
}}
"""
BIG_TOKEN = 'XML_Parse(p, "<!--", 4, 0); for (int k = 0; k < 3000; k++) XML_Parse(p, "a comment that is long and comes in small pieces", 48, 0); XML_Parse(p, "-->", 3, 0);'
ELEMENTS = "for (int k = 0; k < 3000; k++) XML_Parse(p, \"<item id='17'><name>something</name></item>\", 43, 0);"
EXPAT_BUILD = "gcc -O2 -g -w -DXML_GE=1 -DXML_DTD -DXML_NS -DXML_CONTEXT_BYTES=1024 -DXML_DEV_URANDOM -DHAVE_MEMMOVE -DBYTEORDER=1234 -o prog main.c lib/expat/lib/xmlparse.c lib/expat/lib/xmltok.c lib/expat/lib/xmlrole.c"
FMT = """#define FMT_HEADER_ONLY
#include <fmt/format.h>
#include <cstdio>

int main() {{
    unsigned long n = 0;
    char to[64];
    for (int i = 0; i < {n}; i++) {{
        {work}
    }}
    std::printf("%d\\n", n > 0);
}}
"""
FMT_BUILD = "g++ -std=c++17 -O2 -g -w -Ilib/include -o prog main.cc"

# What is known: "slower", "faster" or "neutral"; where that is said; the number of turns
# that makes a run of about a second.
PAIRS = {
    "go-runewidth": ("Go", "slower", "graphemes instead of runes", 400_000, go("github.com/mattn/go-runewidth", "v0.0.9", "v0.0.10", RUNEWIDTH)),
    "jsonschema": ("Python", "slower", "references by another library", 6_500, pip("jsonschema", "4.17.3", "4.18.0", '''import jsonschema

schema = {{"$defs": {{"n": {{"type": "integer", "minimum": 0}}}}, "type": "object", "properties": {{"a": {{"$ref": "#/$defs/n"}}, "b": {{"type": "array", "items": {{"$ref": "#/$defs/n"}}}}}}}}
v = jsonschema.Draft202012Validator(schema)
n = sum(v.is_valid({{"a": i, "b": [1, 2, 3, 4]}}) for i in range({n}))
print(n)
''')),
    "unicode-width": ("Rust", "slower", "widths of sequences instead of characters", 14_000_000, cargo("unicode-width", "0.1.12", "0.1.13", WIDTH)),
    "idna": ("Python", "faster", "CVE-2024-3651", 1, pip("idna", "3.6", "3.7", '''import idna

n = 0
for i in range({n}):
    try:
        idna.encode("\\u0628" + "\\u200c" * 3500 + "\\u0628")
    except idna.IDNAError:
        n += 1
print(n)
''')),
    "packaging": ("Python", "faster", "faster parsing in 26.0", 130_000, pip("packaging", "25.0", "26.0", '''from packaging.version import Version

print(max(Version(f"{{i % 7}}.{{i % 11}}.{{i % 13}}rc{{i % 3}}.post1") for i in range({n})))
''')),
    "lodash": ("Node", "faster", "CVE-2020-28500", 6, npm("lodash", "4.17.20", "4.17.21", '''const _ = require("lodash");
const text = "a" + " ".repeat(20000) + "b";
let n = 0;
for (let i = 0; i < {n}; i++) n += _.trimEnd(text).length;
console.log(n);
''')),
    "x/net/html": ("Go", "faster", "CVE-2024-45338", 4, go("golang.org/x/net", "v0.32.0", "v0.33.0", HTML.replace("{text}", '"<!DOCTYPE html><body><math><annotation-xml encoding=\\"" + strings.Repeat("X", 50000) + "\\">" + strings.Repeat("<mi></mi>", 1000)'))),
    "semver": ("Rust", "faster", "rewritten for 1.0", 320_000, cargo("semver", "0.11.0", "1.0.0", SEMVER)),
    "jackson-core": ("Java", "faster", "long integers in less than quadratic time, 2.14", 10, maven("com.fasterxml.jackson.core:jackson-core", "2.13.5", "2.14.3", JACKSON.replace("{text}", '"[" + "7".repeat(100000) + "]"').replace("{value}", "t == JsonToken.VALUE_NUMBER_INT ? p.getBigIntegerValue().bitLength() : 1"))),
    "zlib crc32": ("C", "faster", "another algorithm in 1.2.12", 1_000, source("madler+zlib", "v1.2.11", "v1.2.12", "main.c", CRC.replace("{work}", "sum = crc32(sum, data, sizeof data);"), ZLIB)),
    "expat": ("C", "faster", "CVE-2023-52425", 2, source("libexpat+libexpat", "R_2_5_0", "R_2_6_0", "main.c", EXPAT.replace("{work}", BIG_TOKEN), EXPAT_BUILD, "expat/lib")),
    "fmt": ("C++", "faster", "Dragonbox in 8.0", 8_000_000, source("fmtlib+fmt", "7.1.3", "8.0.0", "main.cc", FMT.replace("{work}", 'n += fmt::format_to(to, "{{}}", i * 0.37) - to;'), FMT_BUILD)),
    "tomli": ("Python", "neutral", "", 500, pip("tomli", "2.0.1", "2.0.2", '''import tomli

text = "".join(f'[table{{i}}]\\nname = "something"\\nnumber = {{i}}\\nlist = [1, 2, 3]\\n' for i in range(20))
print(sum(len(tomli.loads(text)) for i in range({n})))
''')),
    "lodash groupBy": ("Node", "neutral", "", 200, npm("lodash", "4.17.20", "4.17.21", '''const _ = require("lodash");
const list = _.range(5000).map(i => ({{a: i % 17, b: String(i % 13)}}));
let n = 0;
for (let i = 0; i < {n}; i++) n += _.size(_.groupBy(_.sortBy(list, "b"), "a"));
console.log(n);
''')),
    "x/net/html plain": ("Go", "neutral", "", 400, go("golang.org/x/net", "v0.33.0", "v0.34.0", HTML.replace("{text}", '"<!DOCTYPE html><body>" + strings.Repeat("<p class=x>some <b>text</b> and <a href=\'#\'>a link</a></p>", 300)'))),
    "uuid": ("Go", "neutral", "", 3_000_000, go("github.com/google/uuid", "v1.5.0", "v1.6.0", UUID)),
    "markupsafe": ("Python", "neutral", "", 700_000, pip("markupsafe", "2.1.4", "2.1.5", '''from markupsafe import escape

n = 0
for i in range({n}):
    n += len(escape(f"<a href='/{{i}}'>some & text</a>"))
print(n)
''')),
    "semver patch": ("Rust", "neutral", "", 5_000_000, cargo("semver", "1.0.22", "1.0.23", SEMVER)),
    "gson": ("Java", "neutral", "", 1_000, maven("com.google.code.gson:gson", "2.10", "2.10.1", GSON)),
    "zlib deflate": ("C", "neutral", "", 10, source("madler+zlib", "v1.2.12", "v1.2.13", "main.c", CRC.replace("{work}", "uLongf n = sizeof to; sum += compress2(to, &n, data, sizeof data, 6) + n;"), ZLIB)),
    "expat elements": ("C", "neutral", "", 300, source("libexpat+libexpat", "R_2_6_2", "R_2_6_3", "main.c", EXPAT.replace("{work}", ELEMENTS), EXPAT_BUILD, "expat/lib")),
    "fmt patch": ("C++", "neutral", "", 15_000_000, source("fmtlib+fmt", "10.2.0", "10.2.1", "main.cc", FMT.replace("{work}", 'n += fmt::format_to(to, "{{}} {{}}", i, i * 0.37) - to;'), FMT_BUILD)),
}


def git(at, *args):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *args], cwd=at, check=True, capture_output=True)


def check(whyhot, name):
    language, expected, _, turns, p = PAIRS[name]
    at = pathlib.Path(tempfile.mkdtemp(prefix="check-history-"))
    try:
        git(at, "init", "-q")
        (at / ".gitignore").write_text(p["ignore"] + "\n")
        for version in (p["before"], p["after"]):
            for file, text in p["files"].items():
                (at / file).parent.mkdir(exist_ok=True)
                (at / file).write_text(text.format(version=version, n=turns))
            if version == p["before"]:
                git(at, "add", "-A")
                git(at, "commit", "-qm", "base")
        command = [whyhot, "check", "--base", "HEAD", "--json", "--budget", "3m", "--build", p["build"], "--", *p["run"]]
        out = subprocess.run(command, cwd=at, capture_output=True, text=True)
        row = {"name": name, "language": language, "expected": expected, "before": p["before"], "after": p["after"], "exit": out.returncode, "load": os.getloadavg()[0]}
        if out.returncode not in (0, 1):
            return {**row, "error": out.stderr[-1500:]}
        r = json.loads(out.stdout)
        row.update({k: r.get(k) for k in ("verdict", "says", "ratio", "low", "high", "bound", "elapsed_seconds", "notes", "calibration")})
        row["functions"] = [f["name"] for f in r.get("functions", [])][:3]
        for k in r.get("commands", []):
            row.update({"rounds": k["rounds"], "seconds": k.get("before"), "layouts": k.get("across_layouts"), "samples": k.get("samples"), "notes": r.get("notes", []) + k.get("notes", [])})
        return row
    finally:
        shutil.rmtree(at, ignore_errors=True)


def told(r):
    """What the check said, in the words of PAIRS."""
    if r.get("verdict") == "identical":
        return "neutral"
    if r.get("verdict") == "not slower":
        # Faster by less than the limit is neither what the others look for nor an alarm.
        return "faster" if r["high"] < 1 - 0.02 else "neutral"
    return r.get("verdict", "failed")


def table(rows):
    print("| | versions | expected | whyhot check | ratio (98% CI) | rounds | s | first function |\n|---|---|---|---|---|---|---|---|")
    for r in rows:
        ratio = f"{r['ratio']:.3f} ({r['low']:.3f} to {r['high']:.3f})" if r.get("low") else ""
        first = f"`{r['functions'][0]}`" if r.get("functions") else ""
        print(f"| {r['name']} ({r['language']}) | {r['before']} → {r['after']} | {r['expected']} | {told(r)} | {ratio} | {r.get('rounds', '')} | {r.get('elapsed_seconds', 0):.0f} | {first} |")
    for what in ("known", "neutral"):
        of = [r for r in rows if (r["expected"] == "neutral") == (what == "neutral")]
        print(f"{what}: {sum(told(r) == r['expected'] for r in of)} of {len(of)} right")


def main():
    if sys.argv[1] == "table":
        table([json.loads(line) for line in open(sys.argv[2])])
        return
    whyhot, out = os.path.abspath(sys.argv[2]), sys.argv[3]
    for name in sys.argv[4:] or PAIRS:
        row = check(whyhot, name)
        with open(out, "a") as f:
            f.write(json.dumps(row) + "\n")
        print(name, told(row), row.get("ratio"), row.get("seconds"), row.get("error", ""), flush=True)


if __name__ == "__main__":
    main()
