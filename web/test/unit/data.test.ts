import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { test } from "node:test";
import { centre, childSum, firstVisible, layoutOf, levelOf, nodeAt } from "../../src/data/layout";
import {
  findFunctions,
  functionTotals,
  matchedWeight,
  search,
  shareError,
} from "../../src/data/measure";
import { decode, inflate } from "../../src/data/payload";
import { DamagedData, makeTree } from "../../src/data/profile";
import { example, randomExample } from "./tree";

const seeds = Array.from({ length: 60 }, (_, i) => i);

test("a tree's totals, ends and edges follow from its selves", () => {
  for (const seed of seeds) {
    const { tree } = randomExample(seed);
    for (let i = 0; i < tree.count; i++) {
      let sum = tree.self[i];
      let right = tree.start[i];
      for (let c = i + 1; c < tree.end[i]; c = tree.end[c]) {
        assert.equal(tree.parent[c], i);
        assert.equal(tree.start[c], right, "children are packed from the left");
        right += tree.total[c];
        sum += tree.total[c];
      }
      assert.equal(tree.total[i], sum);
    }
  }
});

test("a step that leaves the tree is an error, not a wrong picture", () => {
  const bad = Int32Array.of(0, 0, 5);
  assert.throws(() => makeTree(bad, new Int32Array(3), new Float64Array(3), null), DamagedData);
});

test("function totals count a recursive function once a sample", () => {
  for (const seed of seeds) {
    const e = randomExample(seed);
    const { self, total } = functionTotals(e.tree, e.functions.count);
    for (const name of e.functions.name) {
      if (name === "all") continue;
      const inside = e.stacks.filter(([s]) => s.includes(name));
      const leaf = e.stacks.filter(([s]) => s[s.length - 1] === name);
      assert.equal(total[e.id(name)], weigh(inside), name);
      assert.equal(self[e.id(name)], weigh(leaf), name);
    }
  }
});

function weigh(stacks: readonly (readonly [unknown, number])[]): number {
  return stacks.reduce((sum, [, n]) => sum + n, 0);
}

test("matched weight counts each stack once, however many of its frames match", () => {
  for (const seed of seeds) {
    const e = randomExample(seed);
    const { marked } = search(e.functions, "^[fg]$");
    const want = weigh(e.stacks.filter(([s]) => s.includes("f") || s.includes("g")));
    assert.equal(matchedWeight(e.tree, marked), want);
  }
});

test("search: lower case matches any case, capitals only themselves, errors are told", () => {
  const { functions } = example({ "Main;parse": 1, "Main;Parse": 1 });
  assert.equal(search(functions, "parse").functions, 2);
  assert.equal(search(functions, "Parse").functions, 1);
  const broken = search(functions, "(");
  assert.notEqual(broken.error, "");
  assert.equal(broken.functions, 0);
});

test("findFunctions takes a function, a binary, or a function in a binary", () => {
  const e = example({ "a;b;c": 1 });
  const library = new Int32Array(e.functions.count).fill(0);
  library[e.id("b")] = 1;
  const functions = { ...e.functions, library, libraries: ["", "/usr/lib/libz.so.1"] };
  const names = (marked: Uint8Array): string[] => functions.name.filter((_, f) => marked[f] === 1);
  assert.deepEqual(names(findFunctions(functions, ["a"], "")), ["a"]);
  assert.deepEqual(names(findFunctions(functions, [], "/opt/other/libz.so.1")), ["b"]);
  assert.deepEqual(names(findFunctions(functions, ["b"], "libz.so.1")), ["b"]);
  assert.deepEqual(names(findFunctions(functions, ["a"], "libz.so.1")), []);
  assert.deepEqual(names(findFunctions(functions, [], "")), []);
});

test("the share's error is the Wilson interval's half-width", () => {
  assert.ok(Math.abs(shareError(0.5, 100) - 0.0962) < 1e-4);
  assert.ok(shareError(0, 1000) > 0, "nothing seen is not nothing there");
  assert.equal(shareError(0.3, 0), 1);
});

test("a layout finds the node under any point", () => {
  for (const seed of seeds) {
    const { tree } = randomExample(seed);
    const l = layoutOf(tree);
    assert.equal(l.first[l.levels], tree.count);
    for (let level = 0; level < l.levels; level++) {
      for (let i = l.first[level]; i < l.first[level + 1]; i++) {
        assert.equal(levelOf(l, i), level);
        assert.equal(nodeAt(l, level, centre(l, i)), i);
        assert.equal(firstVisible(l, level, l.start[i]), i);
      }
    }
    assert.equal(nodeAt(l, 0, l.total * 2), -1);
    assert.equal(nodeAt(l, l.levels, 0), -1);
    assert.equal(childSum(l, 0, 0), tree.total[0] - tree.self[0]);
  }
});

function varint(n: number): number[] {
  const bytes: number[] = [];
  while (n >= 128) {
    bytes.push((n % 128) | 128);
    n = Math.floor(n / 128);
  }
  return [...bytes, n];
}

function packed(header: object, ...columns: number[][]): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(json.length);
  return Buffer.concat([size, json, Buffer.from(columns.flat().flatMap(varint))]);
}

const header = {
  version: 1,
  title: "t",
  type: "cpu",
  unit: "nanoseconds",
  samples: 3,
  from_leaf: false,
  root_below: false,
  nodes: 3,
  lines: true,
  names: ["all", "f"],
  origins: [5, 1],
  library: [0, 0],
  file: [0, 0],
  line: [0, 0],
  libraries: [""],
  files: [""],
};

test("the wire form is read back, beyond 32 bits too", async () => {
  const big = 2 ** 45;
  const bytes = packed(header, [0, 0, 1], [0, 1, 1], [0, 2 * big, 3], [0, 7, 8]);
  const p = decode(await inflate(deflateSync(bytes).toString("base64")));
  assert.deepEqual([...p.tree.self], [0, big, -2]);
  assert.deepEqual([...p.tree.parent], [-1, 0, 0]);
  assert.deepEqual([...(p.tree.line ?? [])], [0, 7, 8]);
  assert.equal(p.tree.total[0], big - 2);
});

test("damaged wire forms are refused with the reason", () => {
  const good = packed(header, [0, 0, 1], [0, 1, 1], [0, 2, 4], [0, 7, 8]);
  for (let n = 0; n < good.length; n++) {
    assert.throws(() => decode(good.subarray(0, n)), /cut short|empty/, `${n} bytes`);
  }
  assert.throws(() => decode(packed({ ...header, version: 9 })), /version 9/);
  const wrongFunction = packed(header, [0, 0, 1], [0, 1, 9], [0, 2, 4], [0, 7, 8]);
  assert.throws(() => decode(wrongFunction), /node 2 names function 9/);
});
