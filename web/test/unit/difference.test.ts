import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, difference } from "../../src/data/difference";
import type { Tree } from "../../src/data/profile";
import { example } from "./tree";

// counted has as many events behind each share.
const counted = (tree: Tree, events = 1000) => ({
  tree,
  events: { all: events, each: new Float64Array(tree.count).fill(events) },
});

test("two trees as one have every call, with its share in each", () => {
  const a = example({ "m;p;x": 30, "m;p": 10, "m;gone": 60 });
  const b = example({ "m;p;x": 10, "m;new": 10 });
  // One numbering for both.
  const number = (name: string): number => ["all", "m", "p", "x", "gone", "new"].indexOf(name);
  for (const e of [a, b]) {
    for (let i = 0; i < e.tree.count; i++) e.tree.fn[i] = number(e.functions.name[e.tree.fn[i]]);
  }
  const d = difference(counted(a.tree), counted(b.tree));
  const at = (name: string): number => d.tree.fn.indexOf(number(name));
  const shares = (name: string): number[] =>
    [d.before.share[at(name)], d.after.share[at(name)], d.tree.total[at(name)]].map(
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
  const d = difference(counted(a.tree), counted(none.tree));
  assert.deepEqual([...d.after.share], [0, 0, 0]);
  assert.deepEqual([...d.before.share], [1, 1, 1]);
});

test("a share has events of its own, and a node that is missing no more than the other one", () => {
  const a = example({ "m;late": 1, "m;p": 999 });
  const b = example({ "m;p": 1000 });
  const numbered = ["all", "m", "late", "p"];
  for (const e of [a, b])
    e.tree.fn.forEach((f, i) => (e.tree.fn[i] = numbered.indexOf(e.functions.name[f])));
  const first = counted(a.tree, 10_000);
  first.events.each[a.tree.fn.indexOf(2)] = 400; // drawn: 1 of 25
  const d = difference(first, counted(b.tree, 20_000));
  const at = (name: string): number => d.tree.fn.indexOf(numbered.indexOf(name));
  assert.equal(d.before.events[at("late")], 400);
  assert.equal(d.after.events[at("late")], 800, "a twenty-fifth of all, as in the other half");
  assert.equal(d.before.events[at("p")], 10_000);
  assert.equal(d.after.events[at("p")], 20_000);
  const change = (n: number, m: number): number =>
    changeOf(d.before.share[at("late")], d.after.share[at("late")], n, m);
  assert.equal(change(10_000, 20_000), -3, "by the number of all it went away");
  assert.equal(change(d.before.events[at("late")], d.after.events[at("late")]), 0, "by its own");
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
