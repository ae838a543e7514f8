// Machine code as the page lists it.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  codeRows,
  type Instruction,
  type Loop,
  type MachineFunction,
} from "../../src/fleet/views/lines/code";

const at = (address: number, self = 0, cause?: number): Instruction => ({
  address,
  text: `op${address}`,
  self,
  error: 0,
  ...(cause === undefined ? {} : { for: cause }),
});

const loop = (depth: number, ...ranges: [number, number][]): Loop => ({
  start: ranges[0][0],
  end: ranges[ranges.length - 1][1],
  ranges,
  depth,
  innermost: depth > 1,
  self: 0,
  total: 0,
  error: 0,
});

const code = (loops: Loop[], ...instructions: Instruction[]): MachineFunction => ({
  name: "f",
  binary: "/bin/f",
  build_id: "ab",
  start: 0,
  end: 1000,
  self: instructions.reduce((sum, i) => sum + i.self, 0),
  loops,
  instructions,
});

test("brackets begin and end with their loop, the outer one first", () => {
  const outer = loop(1, [10, 50]);
  const inner = loop(2, [20, 40]);
  const f = code([inner, outer], at(5, 1), at(10), at(20, 7), at(30), at(45, 2));
  const edges = codeRows(f, false).map((r) => r.brackets.map((b) => `${b.loop.depth}${b.edge}`));
  assert.deepEqual(edges, [[], ["1first"], ["1inside", "2first"], ["1inside", "2last"], ["1last"]]);
  const heads = codeRows(f, false).map((r) => r.heads.map((l) => l.depth));
  assert.deepEqual(heads, [[], [1], [2], [], []]);
});

test("a loop with a hole in it leaves out what is in the hole", () => {
  const f = code([loop(1, [0, 2], [8, 10])], at(0, 1), at(1, 1), at(5, 1), at(8, 1), at(9, 1));
  assert.deepEqual(
    codeRows(f, false).map((r) => r.brackets.map((b) => b.edge).join("")),
    ["first", "inside", "", "inside", "last"],
  );
});

test("of a long loop what is hot is shown, with its neighbours and its cause", () => {
  const list = Array.from({ length: 40 }, (_, n) => at(n));
  list[20] = at(20, 100, 3);
  list[30] = at(30, 1); // a hundredth: too little
  const f = code([loop(1, [0, 40])], ...list);
  const rows = codeRows(f, false);
  assert.deepEqual(
    rows.map((r) => r.at.address),
    [3, 19, 20, 21],
  );
  assert.deepEqual(
    rows.map((r) => r.left),
    [3, 15, 0, 0],
  );
  assert.deepEqual(
    rows.map((r) => [r.hot, r.meant]),
    [
      [false, 100],
      [false, 0],
      [true, 0],
      [false, 0],
    ],
  );
  assert.equal(rows[0].heads.length, 1);
  assert.equal(codeRows(f, true).length, 40);
});
