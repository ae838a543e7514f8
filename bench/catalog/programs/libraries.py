"""Sides of the pairs of catalog/tables: libraries.py SIDE TIMES."""
import io
import os
import random
import sys

ROWS = [{"id": i, "name": f"item {i}", "price": i * 1.25, "tags": ["a", "b"]} for i in range(300)]


def pdf():
    path = os.path.join(os.environ["WHYHOT_WORK"], "pages.pdf")
    if not os.path.exists(path):
        rnd = random.Random(1)
        out, at = ["%PDF-1.4\n"], []
        font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
        objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 12/Kids[%s]>>" % " ".join(f"{4 + 2 * i} 0 R" for i in range(12)), font]
        for i in range(12):
            objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents {5 + 2 * i} 0 R/Resources<</Font<</F 3 0 R>>>>>>")
            text = "BT /F 9 Tf 30 760 Td\n" + "".join("(%s) Tj 0 -11 Td\n" % " ".join(str(rnd.randrange(10**6)) for _ in range(12)) for _ in range(60)) + "ET"
            objects.append(f"<</Length {len(text)}>>stream\n{text}\nendstream\n")
        for i, o in enumerate(objects):
            at.append(sum(map(len, out)))
            out.append(f"{i + 1} 0 obj{o}endobj\n")
        start = sum(map(len, out))
        out.append(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{x:010d} 00000 n \n" for x in at)
                   + f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n")
        with open(path + ".new", "w") as f:
            f.write("".join(out))
        os.replace(path + ".new", path)
    return path


def pdf_pypdf():
    import pypdf
    return sum(len(page.extract_text().split()) for page in pypdf.PdfReader(pdf()).pages)


def pdf_pdfium():
    import pypdfium2
    return sum(len(page.get_textpage().get_text_range().split()) for page in pypdfium2.PdfDocument(pdf()))


MARKDOWN = "\n".join(f"## {r['name']}\n\nSome *text* with [a link](/x/{r['id']}) and `code`.\n\n- one\n- two **bold**\n" for r in ROWS[:150])


def markdown_python():
    import markdown
    return markdown.markdown(MARKDOWN).count("<li>")


def markdown_cmark():
    import cmarkgfm
    return cmarkgfm.markdown_to_html(MARKDOWN).count("<li>")


PAGE = "<table>" + "".join(f"<tr><td>{r['id']}</td><td><a href='/{r['id']}' onclick='x()'>{r['name']}</a></td></tr>" for r in ROWS) + "</table>"


def clean_bleach():
    import bleach
    return bleach.clean(PAGE, tags={"a", "table", "tr", "td", "tbody"}).count("href")


def clean_nh3():
    import nh3
    return nh3.clean(PAGE, tags={"a", "table", "tr", "td", "tbody"}).count("href")


XML = "<r>" + "".join(f"<i id='{r['id']}'><n>{r['name']}</n><p>{r['price']}</p></i>" for r in ROWS for _ in range(5)) + "</r>"


def dom_xmltodict():
    import xmltodict
    return sum(len(i["n"]) for i in xmltodict.parse(XML)["r"]["i"])


def dom_etree():
    from xml.etree import ElementTree
    return sum(len(i.findtext("n")) for i in ElementTree.fromstring(XML))




def json5_package():
    import json
    import json5
    return len(json5.loads(json.dumps(ROWS[:150])))


def json5_native():
    import json
    import pyjson5
    return len(pyjson5.decode(json.dumps(ROWS[:150])))


def frame():
    import pandas
    return pandas.DataFrame({"a": range(8000), "b": [i % 2000 for i in range(8000)]})


def cells_iloc():
    df = frame()
    return sum(int(df.iloc[i, 0]) for i in range(len(df)))


def cells_array():
    return sum(frame()["a"].to_numpy().tolist())


def groups_lambda():
    return int(frame().groupby("b")["a"].agg(lambda s: s.sum()).iloc[5])


def groups_named():
    return int(frame().groupby("b")["a"].agg("sum").iloc[5])


def vectorised():
    import numpy
    return int(numpy.vectorize(lambda x: x * 2 if x > 5 else 0)(numpy.arange(200000)).sum())


def array_where():
    import numpy
    x = numpy.arange(200000)
    return int(numpy.where(x > 5, x * 2, 0).sum())


def norm_each():
    from scipy.stats import norm
    return round(sum(norm.cdf(i / 2000 - 1) for i in range(4000)))


def norm_special():
    from scipy.special import ndtr
    return round(sum(ndtr(i / 2000 - 1) for i in range(4000)))


def flags_enum():
    from enum import IntFlag
    Mode = IntFlag("Mode", "READ WRITE SEEK")
    return sum(1 for i in range(200000) if (Mode.READ | Mode.SEEK) & Mode.SEEK)


def flags_int():
    read, seek = 1, 4
    return sum(1 for i in range(200000) if (read | seek) & seek)


def of_class():
    from dataclasses import dataclass

    @dataclass
    class Row:
        id: int
        name: str
        price: float
        tags: list

    return [Row(**r) for r in ROWS] * 10


def asdict_std():
    from dataclasses import asdict
    return sum(len(asdict(r)) for r in of_class())


def asdict_plain():
    return sum(len({"id": r.id, "name": r.name, "price": r.price, "tags": r.tags}) for r in of_class())


CSV = "id,name,price,city\n" + "".join(f"{i},item {i},{i * 1.5},c{i % 50}\n" for i in range(40000))


def csv_dicts():
    import csv
    return sum(len(r["city"]) for r in csv.DictReader(io.StringIO(CSV)))


def csv_rows():
    import csv
    rows = csv.reader(io.StringIO(CSV))
    city = next(rows).index("city")
    return sum(len(r[city]) for r in rows)


def literal_ast():
    import ast
    return sum(len(ast.literal_eval(f'[{i}, "a", 2.5, [1, 2]]')) for i in range(6000))


def literal_json():
    import json
    return sum(len(json.loads(f'[{i}, "a", 2.5, [1, 2]]')) for i in range(6000))


def random_each():
    rnd = random.Random(3)
    return sum(rnd.randint(1, 6) for _ in range(200000)) // 100000


def random_array():
    import numpy
    return int(numpy.random.default_rng(3).integers(1, 7, 200000).sum()) // 100000


MAIL = ("From: A Person <a@example.org>\r\nTo: {0} <b{0}@example.org>, C <c@example.org>\r\nSubject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= {0}\r\n"
        "Date: Mon, 02 Mar 2026 10:00:00 +0100\r\nMessage-ID: <{0}@example.org>\r\nContent-Type: text/plain; charset=\"utf-8\"\r\n\r\nHello\r\n")


def mails(policy):
    import email
    return sum(len(email.message_from_string(MAIL.format(i), policy=policy)["To"]) > 9 for i in range(400))


def mail_default():
    from email import policy
    return mails(policy.default)


def mail_compat():
    from email import policy
    return mails(policy.compat32)


if __name__ == "__main__":
    side = globals().get(sys.argv[1])
    if not callable(side):
        sys.exit(f"no side {sys.argv[1]}")
    total = 0
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1):
        total += side()
    print(total)
