#!/usr/bin/env python3
"""Writes PDF files of the kinds that are common: inputs.py DIRECTORY SEED.

Five kinds, one file each. The same seed gives the same bytes; another seed gives
other words, pictures and shapes, and is for training. Nothing but Python's
library is needed.
"""
import os
import random
import sys
import zlib

WORDS = """the of and to in is that for it as was with be by on not he his but at are
this have from or had an they which one you were all her she there would their we him
been has when who will more no if out so said what up its about into than them can only
other new some could time these two may then do first any my now such like our over man
me even most made after also did many before must through back years where much your way
well down should because each just those people how too little state good very make
world still own see men work long get here between both life being under never day same
another know while last might us great old year off come since against go came right
used take three""".split()


class File:
    """Objects of a PDF file, numbered from 1; 1 is the catalogue, 2 the pages."""

    def __init__(self):
        self.objects = [b"<</Type/Catalog/Pages 2 0 R>>", b""]
        self.pages = []

    def add(self, body):
        self.objects.append(body if isinstance(body, bytes) else body.encode())
        return len(self.objects)

    def stream(self, data, entries=""):
        data = zlib.compress(data if isinstance(data, bytes) else data.encode(), 6)
        return self.add(b"<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream"
                        % (entries.encode(), len(data), data))

    def page(self, content, resources="", entries=""):
        body = self.stream(content)
        self.pages.append(self.add(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {body} 0 R"
                                   f"/Resources<<{resources}>>{entries}>>"))

    def write(self, path):
        kids = " ".join(f"{p} 0 R" for p in self.pages)
        self.objects[1] = f"<</Type/Pages/Count {len(self.pages)}/Kids[{kids}]>>".encode()
        out, places = bytearray(b"%PDF-1.6\n%\xe2\xe3\xcf\xd3\n"), []
        for number, body in enumerate(self.objects, 1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        out += b"".join(b"%010d 00000 n \n" % p for p in places)
        out += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, start)
        with open(path, "wb") as f:
            f.write(out)


def fonts(file):
    names = ("Times-Roman", "Helvetica-Bold", "Courier")
    ids = [file.add(f"<</Type/Font/Subtype/Type1/BaseFont/{n}/Encoding/WinAnsiEncoding>>") for n in names]
    return "/Font<<" + "".join(f"/F{i} {n} 0 R" for i, n in enumerate(ids)) + ">>"


def article(r, file):
    """Running text in two columns."""
    resources = fonts(file)
    for _ in range(160):
        lines = ["BT"]
        for column in (50, 310):
            lines.append(f"/F0 9 Tf 10.5 TL 1 0 0 1 {column} 790 Tm")
            for _ in range(70):
                kerned = "".join(f"({r.choice(WORDS)} ){r.randrange(-40, 40)}" for _ in range(9))
                lines.append(f"[{kerned}] TJ T*")
        file.page("\n".join(lines + ["ET"]), resources)


def report(r, file):
    """Many small objects: links, notes and the structure of a tagged document."""
    resources = fonts(file)
    for number in range(150):
        notes, tags = [], []
        for n in range(24):
            x, y = r.randrange(40, 500), r.randrange(40, 800)
            notes.append(file.add(
                f"<</Type/Annot/Subtype/Link/Rect[{x} {y} {x + 60} {y + 12}]/Border[0 0 0]/F 4"
                f"/A<</S/URI/URI(https://example.org/{r.choice(WORDS)}/{n})>>/Contents({r.choice(WORDS)} {r.choice(WORDS)})>>"))
            tags.append(file.add(f"<</Type/StructElem/S/{r.choice(('P', 'H1', 'Link', 'Span'))}/K[{n}]"
                                 f"/A<</O/Layout/BBox[{x} {y} {x + 60}.25 {y + 12}.5]/Placement/Block>>>>"))
        text = "\n".join(f"/P<</MCID {n}>>BDC BT /F1 9 Tf 50 {800 - 20 * n} Td ({r.choice(WORDS)}) Tj ET EMC" for n in range(24))
        references = " ".join(f"{n} 0 R" for n in notes)
        elements = " ".join(f"{n} 0 R" for n in tags)
        file.page(text, resources, f"/StructParents {number}/Annots[{references}]/PieceInfo<</T[{elements}]>>")


def drawing(r, file):
    """Areas, rivers as curves and dashed borders."""
    for _ in range(12):
        lines = ["q 20 20 555 800 re W n"]
        for n in range(900):
            x, y = r.uniform(20, 560), r.uniform(20, 820)
            lines.append(f"{r.random():.3f} {r.random():.3f} {r.random():.3f} rg {x:.2f} {y:.2f} m")
            for _ in range(12):
                near = []
                for _ in range(3):
                    x, y = x + r.gauss(0, 12), y + r.gauss(0, 12)
                    near.append(f"{x:.2f} {y:.2f}")
                lines.append(" ".join(near) + " c")
            lines.append("h f" if n % 2 else "[3 2] 0 d S")
        file.page("\n".join(lines + ["Q"]))


def pictures(r, file, count, width, height, filters, spread):
    """Images as PNG files hold them: each row is filtered, and says by which filter.
    What is written is the filtered row, small differences of neighbours."""
    for _ in range(count):
        noise = bytes(v & 255 for v in (int(r.gauss(0, spread)) for _ in range(1 << 16)))
        rows = bytearray()
        for _ in range(height):
            rows.append(r.choice(filters))
            start = r.randrange(len(noise) - 3 * width)
            rows += noise[start:start + 3 * width]
        picture = file.stream(bytes(rows), f"/Type/XObject/Subtype/Image/Width {width}/Height {height}"
                              "/ColorSpace/DeviceRGB/BitsPerComponent 8"
                              f"/DecodeParms<</Predictor 15/Colors 3/Columns {width}>>")
        file.page("q 535 0 0 374 30 420 cm /I Do Q", f"/XObject<</I {picture} 0 R>>")


def photo(r, file):
    """Photographs: encoders choose the filters Sub, Average and Paeth."""
    pictures(r, file, 8, 1600, 1000, (1, 1, 3, 4), 5)


def screens(r, file):
    """Screen shots: mostly Up and Sub, most differences 0."""
    pictures(r, file, 10, 1920, 1080, (1, 2, 2, 2), .4)


def main():
    directory, seed = sys.argv[1], int(sys.argv[2])
    os.makedirs(directory, exist_ok=True)
    for draw in (article, report, drawing, photo, screens):
        file = File()
        draw(random.Random(f"{draw.__name__} {seed}"), file)
        file.write(os.path.join(directory, draw.__name__ + ".pdf"))


main()
