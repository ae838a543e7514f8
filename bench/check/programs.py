"""The programs of named.py: real sources, with work for them, and functions to slow down.

Each program has the shell lines that fetch its sources into a new directory, more files,
how it is built and run, and its seeds: a file, the text after which the work is added, and
what the check may name (regular expressions; more than one where the function is inlined
into another).
"""

MARKDOWN = """
import random
random.seed(7)
words = "the profile of a program says where its time goes and a check says what changed since".split()
def sentence(n):
    out = []
    for _ in range(n):
        w = random.choice(words)
        out.append(random.choice([w] * 12 + ["*" + w + "*", "**" + w + "**", "`" + w + "`", "[" + w + "](http://example.org/" + w + ")", w + " &amp;", "<b>" + w + "</b>", "\\\\*" + w]))
    return " ".join(out)
with open("input.md", "w") as f:
    for i in range(900):
        f.write(random.choice(["# ", "## "]) + sentence(5) + "\\n\\n" + "\\n".join(sentence(12) for _ in range(4)) + "\\n\\n")
        f.write("".join("- " + sentence(6) + "\\n" for _ in range(4)) + "\\n> " + sentence(9) + "\\n\\n```\\nint main(void) { return %d; }\\n```\\n\\n" % i)
"""


def archive(repository, version, paths="", strip=0):
    return f'git --git-dir "$SOURCES/{repository}/repo" archive {version} {paths} | tar -x --strip-components={strip}'


def npm(package, version):
    return f"npm pack --silent {package}@{version} >pack.log && tar -xzf {package}-{version}.tgz && mv package lib && rm {package}-{version}.tgz pack.log"


def go(module, version):
    return f'cp -r "$(cd /tmp && go mod download -json {module}@{version} | sed -n \'s/.*"Dir": "\\(.*\\)".*/\\1/p\')"/. . && chmod -R u+w . && rm -rf *_test.go */*_test.go _test _benchmark'


def maven(group, artifact, version):
    at = f"~/.m2/repository/{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}-sources.jar"
    return f"mvn -q -B dependency:get -Dartifact={group}:{artifact}:{version}:jar:sources >/dev/null && python3 -m zipfile -e {at} . && rm -rf META-INF module-info.java"


JAVA = ("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", "out", "Main")

PROGRAMS = {
    # Mended with these.
    "lua": dict(
        language="c", fetch=archive("lua+lua", "v5.4.6") + " && rm -rf testes manual onelua.c ltests.c",
        files={"run.lua": """
local function words(n) local t = {} for i = 1, n do t[#t + 1] = "w" .. (i * 7919 % 1009) end return t end
local sum = 0
for round = 1, 40 do
  local count = {}
  for _, w in ipairs(words(12000)) do count[w] = (count[w] or 0) + 1 end
  local keys = {}
  for k in pairs(count) do keys[#keys + 1] = k end
  table.sort(keys)
  local text = table.concat(keys, " ")
  for w in text:gmatch("%a%d+") do sum = sum + #w end
  text = text:gsub("(%d)(%d)", "%2%1")
  local p = setmetatable({}, { __index = function(_, k) return k end })
  for i = 1, 60000 do sum = sum + p[i] % 3 end
  local f = function(a) return function(b) return a + b end end
  for i = 1, 30000 do sum = sum + f(i)(round) end
end
print(sum > 0)
"""},
        build="gcc -O2 -g -w -DLUA_USE_POSIX -o prog *.c -lm", run=("./prog", "run.lua"), ignore="prog\n*.o",
        seeds=[
            ("internshrstr", "lstring.c", r"static TString \*internshrstr \(.*?\{\n", "work", 5, ()),
            ("luaV_mod", "lvm.c", r"lua_Integer luaV_mod \(.*?\{\n", "work", 10, ()),
            ("freeobj", "lgc.c", r"static void freeobj \(.*?\{\n", "alloc", 10, ()),
            ("hashint", "ltable.c", r"static Node \*hashint \(.*?\{\n", "work", 5, ("luaH_getint",)),
        ],
    ),
    "pugixml": dict(
        language="c++", fetch=archive("zeux+pugixml", "v1.14", "src", 1),
        files={"main.cc": """
#include "pugixml.hpp"
#include <cstdio>
#include <sstream>
#include <string>
int main() {
    std::string text = "<list>";
    for (int i = 0; i < 3000; i++)
        text += "<item id='" + std::to_string(i) + "' name=\\"a &amp; b\\"><price>" + std::to_string(i * 7 % 100) + ".25</price><text>some text &lt;here&gt;\\r\\n and more</text><!-- c --></item>";
    text += "</list>";
    double sum = 0;
    for (int round = 0; round < 130; round++) {
        pugi::xml_document doc;
        doc.load_string(text.c_str());
        for (pugi::xml_node n : doc.child("list").children("item")) sum += n.child("price").text().as_double() + n.attribute("id").as_int();
        pugi::xpath_query q("/list/item[price > 50]/text");
        for (pugi::xpath_node n : q.evaluate_node_set(doc)) sum += n.node().child_value()[0];
        std::ostringstream out;
        doc.save(out);
        sum += out.str().size();
    }
    std::printf("%d\\n", sum > 0);
}
"""},
        build="g++ -O2 -g -w -c main.cc pugixml.cpp && g++ -o prog main.o pugixml.o", run=("./prog",), ignore="prog\n*.o",
        seeds=[
            ("text_output_escaped", "pugixml.cpp", r"PUGI_IMPL_FN void text_output_escaped\(.*?\{\n", "copy", 10, ()),
            ("push_back", "pugixml.cpp", r"\t\tvoid push_back\(const xpath_node& node, xpath_allocator\* alloc\)\n\t\t\{\n", "work", 10, ()),
            ("append_new_attribute", "pugixml.cpp", r"PUGI_IMPL_FN_NO_INLINE xml_attribute_struct\* append_new_attribute\(.*?\{\n", "work", 5, ()),
            ("strconv_escape", "pugixml.cpp", r"PUGI_IMPL_FN char_t\* strconv_escape\(.*?\{\n", "work", 10, ("strconv_attribute_impl", "strconv_pcdata_impl")),
        ],
    ),
    "goldmark": dict(
        language="go", fetch=go("github.com/yuin/goldmark", "v1.7.8"), prepare=MARKDOWN,
        files={"cmd/bench/main.go": """package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

func main() {
	text, err := os.ReadFile("input.md")
	if err != nil {
		panic(err)
	}
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	n := 0
	for i := 0; i < 3; i++ {
		var out bytes.Buffer
		if err := md.Convert(text, &out); err != nil {
			panic(err)
		}
		n += out.Len()
	}
	fmt.Println(n > 0)
}
"""},
        build="go build -trimpath -o prog ./cmd/bench", run=("./prog",), ignore="prog",
        seeds=[
            ("AppendChild", "ast/ast.go", r"func \(n \*BaseNode\) AppendChild\(.*?\{\n", "alloc", 10, ()),
            ("ScanDelimiter", "parser/delimiter.go", r"func ScanDelimiter\(.*?\{\n", "work", 5, ()),
            ("FindEmailIndex", "util/util.go", r"func FindEmailIndex\(.*?\{\n", "map", 10, ()),
            ("openBlocks", "parser/parser.go", r"func \(p \*parser\) openBlocks\(.*?\{\n", "alloc", 10, ()),
        ],
    ),
    "mistune": dict(
        language="python", fetch="python3 -m pip install -q --no-deps --no-compile --root-user-action=ignore --target . mistune==3.0.2", prepare=MARKDOWN.replace("900", "150"),
        files={"main.py": """
import mistune
text = open("input.md").read()
md = mistune.create_markdown(plugins=["strikethrough", "table", "url"])
print(len(md(text)) > 0)
"""},
        build="", run=("python3", "main.py"), ignore="__pycache__",
        seeds=[
            ("append_token", "mistune/core.py", r"class InlineState:.*?def append_token\(.*?:\n", "work", 10, ()),
            ("parse_emphasis", "mistune/inline_parser.py", r"    def parse_emphasis\(.*?int:\n", "call", 10, ()),
            ("escape", "mistune/util.py", r"def escape\(s.*?:\n(?=    \"\"\")", "work", 5, ()),
        ],
    ),
    "marked": dict(
        language="node", fetch=npm("marked", "12.0.2"), prepare=MARKDOWN.replace("900", "300"),
        files={"main.js": """
const { marked } = require("./lib/lib/marked.cjs");
const text = require("fs").readFileSync("input.md", "utf8");
let n = 0;
for (let i = 0; i < 2; i++) n += marked.parse(text).length;
console.log(n > 0);
"""},
        build="", run=("node", "main.js"), ignore="pack.log",
        seeds=[
            ("escape", "lib/lib/marked.cjs", r"function escape\$1\(.*?\{\n", "work", 5, ()),
            ("codespan", "lib/lib/marked.cjs", r"    codespan\(src\) \{\n", "work", 10, ()),
            ("rtrim", "lib/lib/marked.cjs", r"function rtrim\(.*?\{\n", "string", 10, ()),
        ],
    ),
    "org.json": dict(
        language="java", fetch=maven("org.json", "json", "20240303"),
        files={"Main.java": """
import org.json.*;

public class Main {
    public static void main(String[] a) {
        String text = "[" + "{\\"id\\": 17, \\"name\\": \\"some \\\\\\"thing\\\\\\"\\", \\"price\\": 1.25, \\"tags\\": [\\"a\\", true, null]},".repeat(500) + "{}]";
        String xml = "<r>" + "<item id='17'><name>some &amp; thing</name><price>1.25</price></item>".repeat(300) + "</r>";
        long n = 0;
        for (int i = 0; i < 30; i++) {
            JSONArray all = new JSONArray(text);
            n += all.toString().length() + all.getJSONObject(i).getString("name").length() + XML.toJSONObject(xml).length();
        }
        System.out.println(n > 0);
    }
}
"""},
        build="rm -rf out && mkdir out && javac -nowarn -d out $(find . -name '*.java' -not -path './out/*') 2>javac.log", run=JAVA, ignore="out\njavac.log",
        seeds=[
            ("nextString", "org/json/JSONTokener.java", r"    public String nextString\(.*?\{\n", "work", 10, ()),
            ("stringToValue", "org/json/JSONObject.java", r"    public static Object stringToValue\(String string\) \{\n", "string", 10, ()),
            ("incrementIndexes", "org/json/JSONTokener.java", r"    private void incrementIndexes\(int c\) \{\n", "work", 5, ("next",)),
        ],
    ),
    "pulldown": dict(
        language="rust", prepare=MARKDOWN,
        fetch="curl -sfL https://static.crates.io/crates/pulldown-cmark/pulldown-cmark-0.11.0.crate | tar -xz --strip-components=1 && rm -rf benches examples tests build.rs src/main.rs Cargo.lock",
        files={
            "src/bin/bench.rs": """
use pulldown_cmark::{html, Options, Parser};

fn main() {
    let text = std::fs::read_to_string("input.md").unwrap();
    let mut n = 0;
    for _ in 0..16 {
        let mut out = String::new();
        html::push_html(&mut out, Parser::new_ext(&text, Options::all()));
        n += out.len();
    }
    println!("{}", n > 0);
}
""",
            "Cargo.toml": """[package]
name = "pulldown-cmark"
version = "0.11.0"
edition = "2021"

[features]
default = ["html"]
html = ["pulldown-cmark-escape"]

[dependencies]
bitflags = "2"
memchr = "2.5"
unicase = "2.6"
pulldown-cmark-escape = { version = "0.11", optional = true }

[profile.release]
debug = true
"""},
        build="cargo build -q --release --bin bench", run=("target/release/bench",), ignore="target\nCargo.lock",
        seeds=[
            ("make_code_span", "src/parse.rs", r"    fn make_code_span\(.*?\{\n", "alloc", 10, ()),
            ("append", "src/tree.rs", r"    pub\(crate\) fn append\(.*?\{\n", "work", 5, ()),
            ("item_to_event", "src/parse.rs", r"fn item_to_event<'a>\(.*?\{\n", "work", 10, ("next",)),
            ("scan_paragraph_interrupt", "src/firstpass.rs", r"    fn scan_paragraph_interrupt\(.*?\{\n", "work", 5, ("parse_line",)),
        ],
    ),
    # Looked at only after that.
    "md4c": dict(
        language="c", fetch=archive("mity+md4c", "release-0.5.2", "src", 1), prepare=MARKDOWN,
        files={"main.c": """
#include "md4c-html.h"
#include <stdio.h>
#include <stdlib.h>
static size_t seen;
static void out(const MD_CHAR *t, MD_SIZE n, void *u) { seen += n; }
int main(void) {
    FILE *f = fopen("input.md", "r");
    static char text[4 << 20];
    size_t n = fread(text, 1, sizeof text, f);
    for (int i = 0; i < 22; i++) md_html(text, n, out, NULL, MD_DIALECT_GITHUB, 0);
    printf("%d\\n", seen > 0);
}
"""},
        build="gcc -O2 -g -w -o prog main.c md4c.c md4c-html.c entity.c", run=("./prog",), ignore="prog",
        seeds=[
            ("md_add_mark", "md4c.c", r"\nmd_add_mark\(MD_CTX\* ctx\)\n\{\n", "work", 10, ("md_collect_marks",)),
            ("md_analyze_line", "md4c.c", r"\nmd_analyze_line\(.*?\n\{\n", "alloc", 10, ()),
            ("md_build_attribute", "md4c.c", r"\nmd_build_attribute\(.*?\n\{\n", "work", 10, ()),
            ("render_html_escaped", "md4c-html.c", r"\nrender_html_escaped\(.*?\n\{\n", "copy", 10, ()),
        ],
    ),
    "expat": dict(
        language="c", fetch=archive("libexpat+libexpat", "R_2_6_2", "expat/lib", 2),
        files={"main.c": """
#include "expat.h"
#include <stdio.h>
#include <string.h>
static long seen;
static void start(void *d, const XML_Char *name, const XML_Char **attr) { for (; *attr; attr += 2) seen += strlen(attr[1]); }
static void text(void *d, const XML_Char *s, int n) { seen += n; }
int main(void) {
    for (int i = 0; i < 60; i++) {
        XML_Parser p = XML_ParserCreateNS(NULL, '|');
        XML_SetStartElementHandler(p, start);
        XML_SetCharacterDataHandler(p, text);
        XML_Parse(p, "<r xmlns='urn:a' xmlns:b='urn:b'>", 33, 0);
        char item[200];
        for (int k = 0; k < 4000; k++) {
            int n = sprintf(item, "<b:item id='%d' class='some thing'><name>something &amp; more</name>\\n<b:price unit='EUR'>%d</b:price></b:item>", k, k % 97);
            XML_Parse(p, item, n, 0);
        }
        XML_Parse(p, "</r>", 4, 1);
        XML_ParserFree(p);
    }
    printf("%d\\n", seen > 0);
}
"""},
        build="gcc -O2 -g -w -DXML_GE=1 -DXML_DTD -DXML_NS -DXML_CONTEXT_BYTES=1024 -DXML_DEV_URANDOM -DHAVE_MEMMOVE -DBYTEORDER=1234 -o prog main.c xmlparse.c xmltok.c xmlrole.c", run=("./prog",), ignore="prog",
        seeds=[
            ("hash", "xmlparse.c", r"\nhash\(XML_Parser parser, KEY s\) \{\n", "work", 5, ("lookup",)),
            ("storeAtts", "xmlparse.c", r"\nstoreAtts\(XML_Parser .*?\) \{\n", "work", 10, ("doContent",)),
            ("lookup", "xmlparse.c", r"\nlookup\(XML_Parser parser, .*?\) \{\n", "alloc", 10, ()),
        ],
    ),
    "jsoncpp": dict(
        language="c++", fetch=archive("open-source-parsers+jsoncpp", "1.9.5", "include src/lib_json"),
        files={"main.cc": """
#include <json/json.h>
#include <cstdio>
#include <memory>
int main() {
    std::string text = "[";
    for (int i = 0; i < 1500; i++)
        text += "{\\"id\\": " + std::to_string(i) + ", \\"name\\": \\"some \\\\\\"thing\\\\\\"\\", \\"price\\": " + std::to_string(i * 0.37) + ", \\"tags\\": [\\"a\\", \\"b\\", true, null]},";
    text += "{}]";
    size_t n = 0;
    Json::CharReaderBuilder b;
    for (int round = 0; round < 60; round++) {
        std::unique_ptr<Json::CharReader> r(b.newCharReader());
        Json::Value v;
        std::string err;
        r->parse(text.data(), text.data() + text.size(), &v, &err);
        for (auto &x : v) n += x["tags"].size() + x["name"].asString().size();
        n += Json::FastWriter().write(v).size();
    }
    std::printf("%d\\n", n > 0);
}
"""},
        build="g++ -O2 -g -w -Iinclude -o prog main.cc src/lib_json/json_reader.cpp src/lib_json/json_value.cpp src/lib_json/json_writer.cpp", run=("./prog",), ignore="prog",
        seeds=[
            ("decodeString", "src/lib_json/json_reader.cpp", r"bool OurReader::decodeString\(Token& token, String& decoded\) \{\n", "work", 10, ()),
            ("resolveReference", "src/lib_json/json_value.cpp", r"Value& Value::resolveReference\(char const\* key, char const\* end\) \{\n", "alloc", 10, ()),
            ("skipSpaces", "src/lib_json/json_reader.cpp", r"void OurReader::skipSpaces\(\) \{\n", "work", 10, ("readToken",)),
            ("releasePayload", "src/lib_json/json_value.cpp", r"void Value::releasePayload\(\) \{\n", "work", 10, ("~Value",)),
        ],
    ),
    "yaml": dict(
        language="go", fetch=go("gopkg.in/yaml.v3", "v3.0.1"),
        files={"go.mod": "module gopkg.in/yaml.v3\n\ngo 1.22\n", "cmd/bench/main.go": """package main

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

func main() {
	text := strings.Repeat("- name: some thing\\n  price: 1.25\\n  tags: [a, \\"b c\\", 17]\\n  more:\\n    text: |\\n      a line\\n      and more\\n    when: 2026-11-27\\n", 500)
	n := 0
	for i := 0; i < 6; i++ {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			panic(err)
		}
		out, err := yaml.Marshal(v)
		if err != nil {
			panic(err)
		}
		n += len(out)
	}
	fmt.Println(n > 0)
}
"""},
        build="go build -trimpath -o prog ./cmd/bench", run=("./prog",), ignore="prog",
        seeds=[
            ("resolve", "resolve.go", r"\nfunc resolve\(.*?\{\n(?=\ttag = )", "map", 10, ()),
            ("yaml_emitter_write_indent", "emitterc.go", r"func yaml_emitter_write_indent\(.*?\{\n", "work", 10, ()),
            ("yaml_parser_save_simple_key", "scannerc.go", r"func yaml_parser_save_simple_key\(.*?\{\n", "alloc", 10, ()),
            ("skip", "scannerc.go", r"\nfunc skip\(.*?\{\n", "work", 10, ()),
        ],
    ),
    "sqlparse": dict(
        language="python", fetch="python3 -m pip install -q --no-deps --no-compile --root-user-action=ignore --target . sqlparse==0.5.1 && rm -rf bin",
        files={"main.py": """
import sqlparse
text = "SELECT a.id, count(*) AS n, max(b.price) FROM t AS a JOIN u b ON a.id = b.id WHERE a.name LIKE 'x%' AND b.price > 17.5 GROUP BY a.id ORDER BY n DESC LIMIT 10;\\n" * 36
print(len(sqlparse.format(text, reindent=True, keyword_case="upper")) > 0)
"""},
        build="", run=("python3", "main.py"), ignore="__pycache__",
        seeds=[
            ("_change_splitlevel", "sqlparse/engine/statement_splitter.py", r"    def _change_splitlevel\(.*?:\n(?=        \"\"\")", "work", 10, ()),
            ("is_keyword", "sqlparse/lexer.py", r"    def is_keyword\(.*?:\n(?=        \"\"\")", "call", 10, ()),
            ("token_next", "sqlparse/sql.py", r"    def token_next\(.*?:\n(?=        \"\"\")", "work", 5, ()),
        ],
    ),
    "acorn": dict(
        language="node", fetch=npm("acorn", "8.12.1"),
        files={"main.js": """
const acorn = require("./lib/dist/acorn.js");
const text = require("fs").readFileSync("./lib/dist/acorn.js", "utf8");
let n = 0;
for (let i = 0; i < 5; i++) n += acorn.parse(text, { ecmaVersion: 2022, locations: true }).body.length;
console.log(n > 0);
"""},
        build="", run=("node", "main.js"), ignore="pack.log",
        seeds=[
            ("finishNode", "lib/dist/acorn.js", r"  pp\$2\.finishNode = function\(.*?\{\n", "work", 10, ()),
            ("updateContext", "lib/dist/acorn.js", r"  pp\$6\.updateContext = function\(.*?\{\n", "string", 10, ()),
            ("readWord1", "lib/dist/acorn.js", r"  pp\.readWord1 = function\(.*?\{\n", "work", 10, ()),
        ],
    ),
    "gson": dict(
        language="java", fetch=maven("com.google.code.gson", "gson", "2.10.1"),
        files={"Main.java": """
import com.google.gson.*;

public class Main {
    static class Item { int id; String name; double price; java.util.List<String> tags; }
    public static void main(String[] a) {
        String text = "[" + "{\\"id\\": 17, \\"name\\": \\"some \\\\\\"thing\\\\\\"\\", \\"price\\": 1.25, \\"tags\\": [\\"a\\", \\"b\\"]},".repeat(800) + "{}]";
        Gson g = new Gson();
        long n = 0;
        for (int i = 0; i < 60; i++) {
            Item[] items = g.fromJson(text, Item[].class);
            n += items.length + g.toJson(items).length() + JsonParser.parseString(text).getAsJsonArray().size();
        }
        System.out.println(n > 0);
    }
}
"""},
        build="rm -rf out && mkdir out && javac -nowarn -d out $(find . -name '*.java' -not -path './out/*') 2>javac.log", run=JAVA, ignore="out\njavac.log",
        seeds=[
            ("nextQuotedValue", "com/google/gson/stream/JsonReader.java", r"  private String nextQuotedValue\(.*?\{\n", "work", 10, ()),
            ("find", "com/google/gson/internal/LinkedTreeMap.java", r"  Node<K, V> find\(.*?\{\n", "string", 10, ()),
            ("beforeValue", "com/google/gson/stream/JsonWriter.java", r"  private void beforeValue\(\).*?\{\n", "work", 10, ()),
        ],
    ),
}
