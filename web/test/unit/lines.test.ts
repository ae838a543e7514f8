// The listing of a function's lines, and the two sides of a comparison.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kept } from "../../src/fleet/parts/finding";
import { HOME, selection } from "../../src/fleet/state/address";
import {
  about,
  addresses,
  files,
  named,
  rows,
  sameFile,
  type Answer,
} from "../../src/fleet/views/lines/listing";
import { halves, question, rangeBefore, sidesOf } from "../../src/fleet/views/compare/sides";

const line = (file: string, at: number, self: number, total = self): Answer["lines"][number] => ({
  file,
  line: at,
  self,
  total,
  error: 0,
});

const answer = (...lines: Answer["lines"]): Answer => ({
  basis: { value: 100 } as Answer["basis"],
  function: { id: 1, name: "f", kind: "native", file: "/src/app/f.c" } as Answer["function"],
  self: 0,
  total: 0,
  lines,
});

const found = (file: string, from: number, to: number, texts: readonly string[] = []): Kept =>
  ({
    service: "s",
    finding: {
      place: { file, line: from, end_line: to },
      source: {
        file,
        lines: texts.map((text, i) => ({ number: from + i, text, loop: true, marks: ["first"] })),
      },
    },
  }) as unknown as Kept;

test("what came with a name alone has neither line nor address", () => {
  const a = answer(
    line("/src/app/f.c", 3, 5),
    { binary: "/bin/f", offset: 16, self: 1, total: 1, error: 0 },
    { self: 4, total: 9, error: 0 },
  );
  assert.deepEqual(
    named(a).map((l) => l.self),
    [4],
  );
  assert.deepEqual(
    addresses(a).map((l) => l.offset),
    [16],
  );
  assert.equal(files(a).length, 1);
});

test("lines are put together by file, that of the function first", () => {
  const a = answer(
    line("/usr/include/x.h", 9, 50),
    line("/src/app/f.c", 3, 5),
    line("/src/app/f.c", 4, 6, 90),
    {
      binary: "/bin/f",
      offset: 16,
      self: 1,
      total: 1,
      error: 0,
    },
  );
  assert.deepEqual(
    files(a).map((f) => [f.file, f.self, f.total]),
    [
      ["/src/app/f.c", 11, 90],
      ["/usr/include/x.h", 50, 50],
    ],
  );
  assert.equal(addresses(a).length, 1);
});

test("source is shown around what ran, with gaps, or all of it", () => {
  const [file] = files(answer(line("/src/app/f.c", 2, 1), line("/src/app/f.c", 20, 1)));
  assert.ok(file);
  const text = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`);
  const list = rows(file, text, [], false);
  assert.deepEqual(
    list.map((r) => r.line),
    [1, 2, 3, 4, 5, 17, 18, 19, 20, 21, 22, 23],
  );
  assert.deepEqual(
    list.filter((r) => r.gap).map((r) => r.line),
    [17],
  );
  assert.equal(list[1]?.text, "line 2");
  assert.equal(rows(file, text, [], true).length, 30);
  // Without source there is only what ran.
  assert.deepEqual(
    rows(file, undefined, [], false).map((r) => [r.line, r.text]),
    [
      [2, undefined],
      [20, undefined],
    ],
  );
});

test("a finding's loop stands at its lines, with its text where there is no other", () => {
  const [file] = files(answer(line("/src/app/f.c", 11, 1)));
  assert.ok(file);
  const here = found("app/f.c", 10, 12, ["for", "x", "}"]);
  const list = about(
    [here, found("app/f.c", 50, 60), found("other.c", 10, 12), found("lib/f.c", 10, 12)],
    file,
    "f",
  );
  assert.deepEqual(list, [here]);
  assert.deepEqual(
    rows(file, undefined, list, false).map((r) => [r.line, r.text, r.loop, r.marks.length]),
    [
      [10, "for", true, 1],
      [11, "x", true, 1],
      [12, "}", true, 1],
    ],
  );
});

test("paths of one file, as builds write them", () => {
  assert.ok(sameFile("/build/a-1.2/src/io.c", "src/io.c"));
  assert.ok(sameFile("./src/io.c", "/x/src/io.c"));
  assert.ok(sameFile("io.c", "io.c"));
  assert.ok(!sameFile("io.c", "/x/io.c")); // a name alone says too little
  assert.ok(!sameFile("a/io.c", "b/io.c"));
});

const NOW = Date.parse("2026-11-22T12:00:00Z");

test("the time before is as long, or a day or a week earlier, or another", () => {
  const a = { ...HOME, from: "now-1h", to: "now" };
  const hour = 3_600_000;
  assert.deepEqual(rangeBefore(a, NOW), { from: NOW - 2 * hour, to: NOW - hour });
  const own = (before: string): typeof a => ({ ...a, own: { "compare.before": before } });
  assert.deepEqual(rangeBefore(own("day"), NOW), { from: NOW - 25 * hour, to: NOW - 24 * hour });
  assert.deepEqual(rangeBefore(own("2026-11-20T00:00:00Z..2026-11-20T06:00:00Z"), NOW), {
    from: Date.parse("2026-11-20T00:00:00Z"),
    to: Date.parse("2026-11-20T06:00:00Z"),
  });
  // A range that is none is not asked about.
  assert.deepEqual(
    rangeBefore(own("2026-11-20T06:00:00Z..2026-11-20T00:00:00Z"), NOW),
    rangeBefore(a, NOW),
  );
});

test("two versions: the newest against the one before, or those that were chosen", () => {
  const values = [
    { value: "1.9", first: "2026-11-01T00:00:00Z" },
    { value: "1.10", first: "2026-11-01T00:00:00Z" },
    { value: "1.2", first: "2026-10-01T00:00:00Z" },
  ];
  const a = {
    ...HOME,
    filters: { service: ["web"], version: ["1.9"] },
    own: { "compare.by": "version" },
  };
  assert.deepEqual(sidesOf(a, values), ["1.9", "1.10"]);
  assert.deepEqual(sidesOf({ ...a, own: { ...a.own, "compare.before": "1.2" } }, values), [
    "1.2",
    "1.10",
  ]);
  assert.equal(sidesOf(a, values.slice(0, 1)), undefined);
  const services = [
    { value: "web", first: "2026-11-20T10:00:00Z" },
    { value: "billing", first: "2026-11-20T10:00:00Z" },
    { value: "sed", first: "2026-11-20T10:30:00Z" },
  ];
  assert.deepEqual(sidesOf({ ...HOME, own: { "compare.by": "service" } }, services), [
    "billing",
    "web",
  ]);
  assert.deepEqual(question(a, selection(a), NOW, ["1.9", "1.10"]), {
    from: "now-1h",
    to: "now",
    service: ["web"],
    "before.version": ["1.9"],
    "after.version": ["1.10"],
  });
  assert.equal(question(a, selection(a), NOW, undefined), null);
});

test("what there is is cut in two halves of whole minutes, where there are two", () => {
  const minute = 60_000;
  const end = Date.parse("2026-11-20T10:00:30Z");
  assert.equal(halves(end, 100_000), undefined);
  const up = end + 30_000;
  assert.deepEqual(halves(end, 5 * minute), {
    before: { from: up - 4 * minute, to: up - 2 * minute },
    after: { from: up - 2 * minute, to: up },
  });
});
