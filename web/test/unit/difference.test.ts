import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, difference } from "../../src/data/difference";
import { example } from "./tree";

test("two trees as one have every call, with its share in each", () => {
  const a = example({ "m;p;x": 30, "m;p": 10, "m;gone": 60 });
  const b = example({ "m;p;x": 10, "m;new": 10 });
  // One numbering for both.
  const number = (name: string): number => ["all", "m", "p", "x", "gone", "new"].indexOf(name);
  for (const e of [a, b]) {
    for (let i = 0; i < e.tree.count; i++) e.tree.fn[i] = number(e.functions.name[e.tree.fn[i]]);
  }
  const d = difference(a.tree, b.tree);
  const at = (name: string): number => d.tree.fn.indexOf(number(name));
  const shares = (name: string): number[] =>
    [d.before[at(name)], d.after[at(name)], d.tree.total[at(name)]].map(
      (x) => Math.round(x * 1e6) / 1e6,
    );
  assert.deepEqual(shares("all"), [1, 1, 1]);
  assert.deepEqual(shares("m"), [1, 1, 1]);
  assert.deepEqual(shares("p"), [0.4, 0.5, 0.45]);
  assert.deepEqual(shares("x"), [0.3, 0.5, 0.4]);
  assert.deepEqual(shares("gone"), [0.6, 0, 0.3]);
  assert.deepEqual(shares("new"), [0, 0.5, 0.25]);
  assert.equal(d.tree.count, 6);
});

test("an empty half is nothing, not an error", () => {
  const a = example({ "m;p": 10 });
  const none = example({});
  const d = difference(a.tree, none.tree);
  assert.deepEqual([...d.after], [0, 0, 0]);
  assert.deepEqual([...d.before], [1, 1, 1]);
});

test("only what the samples can tell is a change", () => {
  assert.equal(changeOf(0.1, 0.1, 1000, 1000), 0);
  assert.equal(changeOf(0.1, 0.11, 1000, 1000), 0, "within the error");
  assert.equal(changeOf(0.1, 0.11, 1e6, 1e6), 0, "less than a tenth of both");
  assert.equal(changeOf(0.1, 0.14, 1e6, 1e6), 1);
  assert.equal(changeOf(0.14, 0.1, 1e6, 1e6), -1);
  assert.equal(changeOf(0.1, 0.3, 1e6, 1e6), 2);
  assert.equal(changeOf(0, 0.3, 1e6, 1e6), 3);
  assert.equal(changeOf(0.3, 0, 1e6, 1e6), -3);
});
