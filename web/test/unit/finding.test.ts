// How findings are said, drawn, and what the next command is.

import assert from "node:assert/strict";
import { test } from "node:test";
import { axis } from "../../src/fleet/parts/axis";
import { coresBack, effect, savings, type Finding, type Kept } from "../../src/fleet/parts/finding";
import {
  cycleRange,
  functionNames,
  legend,
  percentRange,
  ratio,
  ratioRange,
  restOfEvidence,
  shape,
  short,
  sourceRange,
  speedUp,
  where,
} from "../../src/fleet/parts/findingwords";
import { blanks, fill } from "../../src/fleet/views/findings/command";

// The same cases as those of internal/report/loopview and internal/report/html.
test("worlds and ranges are said as the reports say them", () => {
  assert.equal(
    shape({ name: "", fate: "scalar", unroll: 4, calls: 1 }),
    "scalar, unrolled 4 times, 1 call",
  );
  assert.equal(
    shape({ name: "", fate: "vectorised", width: 16, interleave: 2 }),
    "vectorised 16 × 2",
  );
  assert.equal(shape({ name: "", fate: "vectorised", width: 4 }), "vectorised 4");
  assert.equal(shape({ name: "", fate: "library call" }), "a library call, or gone");
  assert.equal(shape({ name: "", fate: "unrolled", unroll: 8 }), "unrolled fully, 8 iterations");
  assert.equal(shape({ name: "", fate: "unknown" }), "not found again");
  assert.equal(cycleRange({ b: 4.11, a: 3.25 }), "3.25–4.11");
  assert.equal(cycleRange({ a: 2, b: 2 }), "2");
  assert.equal(short(0.125), "0.125");
  assert.equal(short(undefined), "");
  assert.equal(percentRange(0.02, 0.12), "2.0 – 12.0%");
  assert.equal(percentRange(-0.086, 0.692), "−8.6 – 69.2%");
  assert.equal(percentRange(0.5, 0.5), "50.0%");
  assert.equal(ratioRange(1.02, 1.1), "1.02 – 1.10×");
  assert.equal(ratio(speedUp(1)), "without bound");
  assert.equal(ratio(speedUp(0.5)), "2.00×");
});

const bare: Finding = {
  id: "x-1",
  rule: "x",
  title: "X",
  certainty: "suspected",
  place: {},
  share: {},
  evidence: [],
  fix: { kind: "code", steps: ["s"] },
};

test("places, functions and marks", () => {
  assert.equal(sourceRange({ file: "a.c", line: 3, end_line: 9 }), "a.c:3–9");
  assert.equal(sourceRange({ line: 3 }), "");
  assert.equal(where({ function: "f", binary: "/bin/x", file: "a.c" }), "f · /bin/x · a.c");
  const f: Finding = {
    ...bare,
    source: { file: "a.c", lines: [] },
    accesses: [
      { role: "write", file: "a.c", line: 5, text: "out[i]" },
      { role: "write", file: "a.c", line: 6, text: "out[j]" },
      { role: "first", file: "b.h", line: 7, type: "a pointer" },
    ],
    worlds: [{ name: "w", fate: "scalar" }],
    evidence: [
      { kind: "world", text: "w" },
      { kind: "write", text: "w" },
      { kind: "symbol", text: "malloc in libc.so.6" },
      { kind: "symbol", text: "nowhere" },
    ],
  };
  assert.deepEqual(legend(f), [
    { sign: "1", says: "loaded", what: "a pointer", at: "b.h:7" },
    { sign: "2", says: "written", what: "out[i]", at: "" },
  ]);
  assert.deepEqual(
    restOfEvidence(f).map((e) => e.kind),
    ["symbol", "symbol"],
  );
  assert.deepEqual(functionNames(f), ["malloc"]);
  assert.deepEqual(functionNames({ ...f, place: { function: "g" } }), ["g"]);
});

test("cores that could come back are the cores of the share, times the gain", () => {
  const kept = (active: boolean, gain?: Finding["gain"]): Kept => ({
    service: "s",
    first_seen: "",
    last_seen: "",
    active,
    history: [{ time: "", share: 0.4, error: 0, cores: 2 }],
    finding: { ...bare, share: { inclusive: 0.4 }, ...(gain ? { gain } : {}) },
  });
  const back = coresBack(kept(true, { low: 0.1, high: 0.2, basis: "b" }));
  assert.ok(back && Math.abs(back.low - 0.5) < 1e-9 && Math.abs(back.high - 1) < 1e-9);
  assert.deepEqual(coresBack(kept(false, { low: 0.1, high: 0.2, basis: "b" })), {
    low: 0,
    high: 0,
  });
  assert.equal(coresBack(kept(true)), undefined);
  assert.equal(coresBack(kept(true, { no_estimate: true, basis: "b" })), undefined);
  // Of 5 cores, three findings that may each save 2 to 3 cannot save 9.
  const half = kept(true, { low: 0.4, high: 0.6, basis: "b" });
  const all = savings([half, half, half, kept(true)]);
  assert.ok(Math.abs(all.low - 5) < 1e-9 && Math.abs(all.high - 5) < 1e-9);
});

test("a trial is faster only with its whole interval", () => {
  assert.equal(effect({ estimate: 1.1, low: 1.01, high: 1.2 }), "faster");
  assert.equal(effect({ estimate: 1.1, low: 0.99, high: 1.2 }), "same");
  assert.equal(effect({ estimate: 0.9, low: 0.8, high: 0.95 }), "slower");
});

test("an axis has all values on it, and few round ticks", () => {
  for (const values of [[1, 1.07, 1.11], [0.5, 4], [1], [0.999, 1.001]]) {
    const a = axis(values);
    for (const v of values) assert.ok(a.at(v) > 0 && a.at(v) < 1, `${v} at ${a.at(v)}`);
    assert.ok(a.ticks.length >= 1 && a.ticks.length <= 6, `${values.join()}: ${a.ticks.join()}`);
    for (const t of a.ticks) assert.ok(a.at(t) >= 0 && a.at(t) <= 1);
  }
});

const here = { url: "http://127.0.0.1:7878", project: "", token: false };
const next = "whyhot try --to URL --finding x-1 --preload mimalloc -- <your command>";

test("a command names this server, and what the reader fills in", () => {
  assert.deepEqual(blanks(next), [{ text: "<your command>", label: "How is the program run?" }]);
  assert.equal(
    fill(next, here, new Map([["<your command>", "./app --size 3"]])),
    "whyhot try --to http://127.0.0.1:7878 --finding x-1 --preload mimalloc -- ./app --size 3",
  );
  assert.match(fill(next, here, new Map()), /-- <your command>$/);
  assert.equal(
    fill(
      "whyhot explain --from URL --finding x",
      { url: "https://h", project: "web", token: true },
      new Map(),
    ),
    "whyhot explain --from https://h --project web --token-file TOKEN_FILE --finding x",
  );
});

test("what is filled in between quotes stays between them", () => {
  const command = "whyhot try --versus 'changed=<the command after the change>' -- <your command>";
  assert.equal(
    fill(
      command,
      here,
      new Map([
        ["<the command after the change>", "app 'a b' $&"],
        ["<your command>", "app $1"],
      ]),
    ),
    `whyhot try --versus 'changed=app '\\''a b'\\'' $&' -- app $1`,
  );
});
