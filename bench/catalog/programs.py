"""Pairs on real programs: each under glibc's allocator and three others."""
import random

from pairs import LIB, Pair, Side

PROGRAMS = (
    ("xmllint --noout", ["xmllint", "--noout", "{xml}"]),
    ("xmllint --format", ["xmllint", "--format", "{xml}"]),
    ("jq sort_by", ["jq", "-c", "sort_by(.score)|map(.name)", "{json}"]),
    ("jq ascii", ["jq", "[.[]|{name,tags}|tostring|ascii_downcase]|length", "{json}"]),
    ("perl split", ["perl", "-ne", "my @f=split /,/; $n+=@f; END{print $n}", "{csv}"]),
    ("perl sort", ["perl", "-e", "print sort <>", "{csv}"]),
    ("gawk count", ["gawk", "-F,", "{c[$2 int($1/10)]++} END{for(k in c)n++;print n}", "{csv}"]),
    ("lua tables", ["lua5.4", "-e", "local t={} for i=1,3e5 do t[i]={i,tostring(i)} end table.sort(t,function(a,b) return a[2]<b[2] end) print(#t)"]),
    ("clang++ -O1", ["clang++-19", "-O1", "-std=c++20", "-c", "-o", "/dev/null", "{cpp}"]),
    ("g++ -O1", ["g++", "-O1", "-std=c++20", "-c", "-o", "/dev/null", "{cpp}"]),
    ("ruby strings", ["ruby", "-e", "h=Hash.new(0); File.foreach('{csv}'){|l| h[l.split(',')[1].upcase+l[0,3]]+=1}; p h.size"]),
    ("php arrays", ["php", "-r", "$h=[];foreach(file('{csv}') as $l){$f=explode(',',$l);$h[$f[1]][]=$f[0];}echo count($h);"]),
    ("sqlite3 group", ["sqlite3", ":memory:", "-cmd", "create table t(a,b,c)", "-cmd", ".import --csv {csv} t", "select count(*) from (select b||c,sum(a) from t group by 1)"]),
    ("z3", ["z3", "{smt}"]),
    ("node strings", ["node", "-e", "const m=new Map();for(const l of require('fs').readFileSync('{csv}','utf8').split('\\n')){const f=l.split(',');m.set(f[0],f)}console.log(m.size)"]),
    ("qpdf json", ["qpdf", "--json", "{pdf}"]),
    ("qpdf object streams", ["qpdf", "--object-streams=generate", "{pdf}", "/dev/null"]),
    ("python3 dicts", ["/usr/bin/python3", "-c", "d=[dict(a=i,b=str(i),c=[i]*9) for i in range(300000)];print(len(d))"]),
    ("xsltproc", ["xsltproc", "{xsl}", "{xml}"]),
    ("sort", ["sort", "-t,", "-k2,2", "{csv}"]),
)
ALLOCATORS = (("libmimalloc.so.2", "mimalloc"), ("libjemalloc.so.2", "jemalloc"), ("libtcmalloc_minimal.so.4", "tcmalloc"))


def inputs(w):
    rnd = random.Random(3)
    with open(w.file("a.xsl"), "w") as f:
        f.write('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="text"/>'
                '<xsl:template match="i[@id mod 3=0]"><xsl:value-of select="concat(n,\'-\',@id)"/></xsl:template><xsl:template match="i"/></xsl:stylesheet>')
    with open(w.file("a.cpp"), "w") as f:
        f.write("#include <map>\n#include <string>\n#include <vector>\n" + "".join(
            f"int f{i}(const std::vector<std::string>& v) {{ std::map<std::string, int> m; for (auto& s : v) m[s + \"{i}\"] += {i}; return m.size(); }}\n" for i in range(30)))
    with open(w.file("a.smt2"), "w") as f:
        n = 60
        f.write("(set-logic QF_LIA)\n" + "".join(f"(declare-const x{i} Int)(assert (and (> x{i} 0) (< x{i} 400)))\n" for i in range(n)))
        for _ in range(400):
            a, b, c = rnd.sample(range(n), 3)
            f.write(f"(assert (or (< (+ x{a} {rnd.randrange(40)}) x{b}) (> (* 3 x{b}) (+ x{c} {rnd.randrange(300)}))))\n")
        f.write("(check-sat)\n")
    objects = ["<</Type/Catalog/Pages 2 0 R>>"]
    n = 4000
    objects.append("<</Type/Pages/Count %d/Kids[%s]>>" % (n, " ".join(f"{3 + 2 * i} 0 R" for i in range(n))))
    for i in range(n):
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {4 + 2 * i} 0 R/Resources<</Font<<>>>>>>")
        text = " ".join(f"{rnd.randrange(600)} {rnd.randrange(700)} m" for _ in range(60))
        objects.append(f"<</Length {len(text)}>>stream\n{text}\nendstream\n")
    out, at = "%PDF-1.4\n", []
    parts = [out]
    size = len(out)
    for i, o in enumerate(objects):
        at.append(size)
        parts.append(f"{i + 1} 0 obj{o}endobj\n")
        size += len(parts[-1])
    parts.append(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{x:010d} 00000 n \n" for x in at)
                 + f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{size}\n%%EOF\n")
    with open(w.file("a.pdf"), "w") as f:
        f.write("".join(parts))


def pairs(w):
    files = {"xml": w.file("data.xml"), "json": w.file("data.json"), "csv": w.file("data.txt"), "xsl": w.file("a.xsl"),
             "smt": w.file("a.smt2"), "pdf": w.file("a.pdf"), "cpp": w.file("a.cpp")}
    for name, cmd in PROGRAMS:
        for key, value in files.items():
            cmd = [part.replace("{" + key + "}", value) for part in cmd]
        for so, lib in ALLOCATORS:
            yield Pair("glibc-malloc", name, Side(cmd, "glibc 2.36"), Side(cmd, lib, {"LD_PRELOAD": LIB + so}))
