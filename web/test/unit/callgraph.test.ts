// The model and the layout of the call graph.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  build,
  formatOpened,
  parseOpened,
  type Answer,
} from "../../src/fleet/views/callgraph/graph";
import { BOX, curve, MARGIN, place } from "../../src/fleet/views/callgraph/layout";

const fn = (id: number): Answer["function"] => ({
  id,
  name: `f${id}`,
  kind: "native",
  origin: "own",
});

function answer(id: number, callers: [number, number][], callees: [number, number][]): Answer {
  const edges = (list: [number, number][]): Answer["callers"] =>
    list.map(([of, total]) => ({ function: fn(of), total }));
  return {
    basis: { value: 1000 } as Answer["basis"],
    function: fn(id),
    self: 10,
    total: 500,
    recursive: 0,
    entry: 0,
    error: 0.01,
    callers: edges(callers),
    callees: edges(callees),
  };
}

test("a function stands between its callers and callees", () => {
  const g = build(
    1,
    [],
    new Map([
      [
        1,
        answer(
          1,
          [
            [2, 400],
            [3, 100],
          ],
          [
            [4, 300],
            [1, 50],
          ],
        ),
      ],
    ]),
  );
  assert.deepEqual(
    g.edges.map((e) => [e.from, e.to, e.weight]),
    [
      [2, 1, 400],
      [3, 1, 100],
      [1, 4, 300],
      [1, 1, 50],
    ],
  );
  assert.deepEqual(new Set(g.nodes.map((n) => n.id)), new Set([1, 2, 3, 4]));
  // Nobody has asked what calls 2, so there may be more of it; of 1 all is shown.
  assert.deepEqual(g.nodes.find((n) => n.id === 2)?.more, ["callers", "callees"]);
  assert.deepEqual(g.nodes.find((n) => n.id === 1)?.more, []);
  assert.equal(g.nodes.find((n) => n.id === 2)?.total, undefined);
});

test("what is too many or too little to draw is told", () => {
  const many = Array.from({ length: 12 }, (_, i): [number, number] => [10 + i, 100 - i]);
  const g = build(1, [], new Map([[1, answer(1, many, [[40, 0.5]])]]));
  assert.equal(g.edges.length, 7);
  assert.deepEqual(g.rests, [
    { of: 1, direction: "callers", count: 5, weight: 93 + 92 + 91 + 90 + 89 },
    { of: 1, direction: "callees", count: 1, weight: 0.5 },
  ]);
});

test("more is shown of a function that was opened, and only while that one is in view", () => {
  const answers = new Map([
    [1, answer(1, [[2, 400]], [])],
    [
      2,
      answer(
        2,
        [[5, 350]],
        [
          [1, 400],
          [6, 20],
        ],
      ),
    ],
    [9, answer(9, [[7, 1]], [])],
  ]);
  const g = build(
    1,
    [
      { id: 2, direction: "callers" },
      { id: 9, direction: "callers" },
    ],
    answers,
  );
  assert.deepEqual(
    g.edges.map((e) => [e.from, e.to]),
    [
      [2, 1],
      [5, 2],
    ],
  );
  assert.deepEqual(g.nodes.find((n) => n.id === 2)?.more, ["callees"]);
});

test("the address keeps what was opened, for the function in the middle", () => {
  const opened = [
    { id: 12, direction: "callers" },
    { id: 7, direction: "callees" },
  ] as const;
  assert.equal(formatOpened(opened, 5), "5.u12.d7");
  assert.deepEqual(parseOpened("5.u12.d7", 5), opened);
  assert.deepEqual(parseOpened("5.u12.d7", 6), []);
  assert.deepEqual(parseOpened("5.x1.u.d-3.u99999999999", 5), []);
  assert.equal(formatOpened([], 5), "");
});

test("callers are above and callees below, and no box covers another", () => {
  const callers = Array.from({ length: 6 }, (_, i): [number, number] => [10 + i, 60]);
  const callees = Array.from({ length: 6 }, (_, i): [number, number] => [20 + i, 50]);
  const p = place(build(1, [], new Map([[1, answer(1, callers, [...callees, [1, 5]])]])));
  const at = new Map(p.boxes.map((b) => [b.id, b]));
  const middle = at.get(1);
  assert.ok(middle);
  for (const [id] of callers) assert.ok((at.get(id)?.y ?? 0) + 20 < middle.y);
  for (const [id] of callees) assert.ok((at.get(id)?.y ?? 0) - 20 > middle.y);
  for (const a of p.boxes)
    for (const b of p.boxes)
      assert.ok(
        a === b ||
          Math.abs(a.x - b.x) >= (a.width + b.width) / 2 ||
          Math.abs(a.y - b.y) >= (a.height + b.height) / 2,
      );
  assert.equal(p.lines.length, 12);
});

test("a cycle is laid out, too", () => {
  const p = place(
    build(
      1,
      [{ id: 2, direction: "callees" }],
      new Map([
        [1, answer(1, [[2, 10]], [[2, 20]])],
        [
          2,
          answer(
            2,
            [],
            [
              [1, 10],
              [3, 5],
            ],
          ),
        ],
      ]),
    ),
  );
  assert.equal(p.lines.length, 3);
  for (const l of p.lines)
    assert.ok(l.points.every((q) => Number.isFinite(q.x) && Number.isFinite(q.y)));
});

test("a curve goes through its ends", () => {
  assert.equal(
    curve([
      { x: 0, y: 0 },
      { x: 1, y: 2 },
    ]),
    "M0 0L1 2",
  );
  assert.equal(
    curve([
      { x: 0, y: 0 },
      { x: 2, y: 0 },
      { x: 4, y: 4 },
    ]),
    "M0 0Q2 0 4 4",
  );
  assert.equal(curve([]), "");
});

test("what a box says of callers and callees that are not drawn lies in the drawing", () => {
  const many = Array.from({ length: 30 }, (_, i): [number, number] => [i + 2, 10]);
  const g = build(1, [], new Map([[1, answer(1, many, many)]]));
  assert.notEqual(g.rests.length, 0);
  const p = place(g);
  // Its line of 11 px begins 9 px beside the box (drawing.tsx).
  const room = 20;
  assert.ok(MARGIN >= room);
  for (const b of p.boxes) {
    assert.ok(b.y - BOX.height / 2 >= room, `${b.id} is at the upper edge`);
    assert.ok(b.y + BOX.height / 2 <= p.height - room, `${b.id} is at the lower edge`);
  }
});
