import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeColumns } from "../../src/data/columns";
import { foldedText } from "../../src/data/folded";
import { graft } from "../../src/data/graft";
import { hideFunctions } from "../../src/data/hide";
import { nodeAt, OTHERS, place } from "../../src/data/layout";
import { markTree } from "../../src/data/marks";
import { matchedWeight } from "../../src/data/measure";
import { DamagedData, makeTree, type Tree } from "../../src/data/profile";
import { FunctionTable } from "../../src/fleet/parts/graph/functions";
import { example, randomExample, type Example } from "./tree";

const seeds = Array.from({ length: 60 }, (_, i) => i);

// The same as internal/server/api/columns.go writes.
function encode(
  tree: Tree,
  names: readonly string[],
  scale: number,
  events?: { all: number; each: ArrayLike<number> },
): Uint8Array<ArrayBuffer> {
  const header = {
    version: 1,
    basis: { from: "", to: "", count: 1, value: 1, unit: "nanoseconds", level: 0, read: 1 },
    root: "callers",
    nodes: tree.count,
    scale,
    ids: names.map((_, i) => i * 7),
    names: names.map((n) => (n === "all" ? "" : n)),
    kinds: names.map(() => "native"),
    origins: names.map(() => "own"),
    binary: names.map((_, i) => i % 2),
    file: names.map(() => 0),
    line: names.map(() => 0),
    binaries: ["", "/bin/app"],
    files: [""],
    ...(events && { events: events.all }),
  };
  const head = new TextEncoder().encode(JSON.stringify(header));
  const out = [...new Uint8Array(Uint32Array.of(head.length).buffer), ...head];
  const put = (n: number): void => {
    let v = BigInt(n);
    for (; v >= 128n; v >>= 7n) out.push(Number(v & 127n) + 128);
    out.push(Number(v));
  };
  for (let i = 0; i < tree.count; i++) put(i === 0 ? 0 : tree.depth[i - 1] + 1 - tree.depth[i]);
  for (const f of tree.fn) put(f);
  for (const s of tree.self) put(s);
  let last = -1;
  tree.rest?.forEach((r, i) => {
    if (r === 0) return;
    put(i - last);
    put(1);
    put(r);
    last = i;
  });
  put(0);
  if (events) for (const n of Array.from(events.each)) put(n);
  return Uint8Array.from(out);
}

// pruned leaves out the nodes that weigh less than least, as the server does.
function pruned(tree: Tree, least: number): Tree {
  const kept: number[] = [];
  const at = new Int32Array(tree.count).fill(-1);
  for (let i = 0; i < tree.count; i++) {
    const parent = tree.parent[i];
    if (i > 0 && (at[parent] < 0 || tree.total[i] < least)) continue;
    at[i] = kept.length;
    kept.push(i);
  }
  const rest = new Float64Array(kept.length);
  for (let i = 1; i < tree.count; i++) {
    if (at[i] < 0 && at[tree.parent[i]] >= 0) rest[at[tree.parent[i]]] += tree.total[i];
  }
  const take = (a: ArrayLike<number>): number[] => kept.map((i) => a[i]);
  const depth = take(tree.depth);
  return makeTree(
    Int32Array.from(depth, (d, k) => (k === 0 ? 0 : depth[k - 1] + 1 - d)),
    Int32Array.from(take(tree.fn)),
    Float64Array.from(take(tree.self)),
    null,
    rest.some((r) => r > 0) ? rest : null,
  );
}

function stacksOf(tree: Tree, names: readonly string[]): Map<string, number> {
  const out = new Map<string, number>();
  for (const line of foldedText(tree, (fn) => names[fn], 1).split("\n")) {
    if (line === "") continue;
    const at = line.lastIndexOf(" ");
    const stack = line.slice(0, at);
    out.set(stack, (out.get(stack) ?? 0) + Number(line.slice(at + 1)));
  }
  return out;
}

test("what the server writes is read as it was", () => {
  for (const seed of seeds) {
    const e = randomExample(seed);
    for (const least of [0, 12]) {
      const tree = pruned(e.tree, least);
      const got = decodeColumns(encode(tree, e.functions.name, 10_000_000));
      assert.deepEqual(got.tree.fn, tree.fn);
      assert.deepEqual(got.tree.parent, tree.parent);
      assert.deepEqual(
        got.tree.total,
        tree.total.map((t) => t * 10_000_000),
      );
      assert.equal(got.complete, tree.rest === null);
      assert.equal(got.tree.total[0], e.tree.total[0] * 10_000_000, "nothing is lost");
    }
  }
});

test("the events behind each share are read where they were asked for", () => {
  const e = example({ "a;b": 3, "a;c": 4 });
  const events = { all: 9000, each: Float64Array.of(9000, 9000, 360, 8500) };
  assert.deepEqual(decodeColumns(encode(e.tree, e.functions.name, 1, events)).events, events);
  assert.equal(decodeColumns(encode(e.tree, e.functions.name, 1)).events, null);
});

test("an answer that is cut short or of another version is an error", () => {
  const e = example({ "a;b": 3, "a;c": 4 });
  const bytes = encode(e.tree, e.functions.name, 1);
  for (let n = 0; n < bytes.length; n++) {
    assert.throws(() => decodeColumns(bytes.slice(0, n)), `cut to ${n} bytes`);
  }
  const text = new TextDecoder().decode(bytes).replace('"version":1', '"version":2');
  assert.throws(() => decodeColumns(new TextEncoder().encode(text)), DamagedData);
});

test("what was left out stands behind the children that are there", () => {
  for (const seed of seeds) {
    const e = randomExample(seed);
    const tree = pruned(e.tree, 12);
    const { layout, node } = place(tree);
    let others = 0;
    for (let level = 0; level < layout.levels; level++) {
      for (let k = layout.first[level]; k < layout.first[level + 1]; k++) {
        const right = layout.start[k] + layout.width[k];
        if (k > layout.first[level]) {
          assert.ok(layout.start[k] >= layout.start[k - 1] + layout.width[k - 1], "in order");
        }
        if (layout.fn[k] !== OTHERS) {
          assert.equal(layout.fn[k], tree.fn[node[k]]);
          continue;
        }
        others++;
        const p = ~node[k];
        assert.equal(layout.width[k], tree.rest?.[p]);
        assert.equal(tree.depth[p], level - 1);
        assert.equal(right, tree.start[p] + tree.total[p] - tree.self[p]);
        assert.equal(nodeAt(layout, level, layout.start[k]), k);
      }
    }
    assert.equal(others, (tree.rest ?? []).filter((r) => r > 0).length);
  }
});

test("a part asked for later makes the tree what it was", () => {
  for (const seed of seeds) {
    const e = randomExample(seed);
    const coarse = pruned(e.tree, 15);
    // The nodes of the coarse tree by their path.
    const pathOf = (t: Tree, i: number): string =>
      i <= 0 ? "" : `${pathOf(t, t.parent[i])};${t.fn[i]}`;
    const whole = new Map(Array.from({ length: e.tree.count }, (_, i) => [pathOf(e.tree, i), i]));
    let tree = coarse;
    for (let i = 0; i < tree.count; i++) {
      if ((tree.rest?.[i] ?? 0) === 0) continue;
      const from = whole.get(pathOf(tree, i)) ?? -1;
      tree = graft(tree, i, subtree(e.tree, from));
    }
    assert.deepEqual(stacksOf(tree, e.functions.name), stacksOf(e.tree, e.functions.name));
    assert.deepEqual(tree.total, e.tree.total);
  }
});

function subtree(tree: Tree, at: number): Tree {
  const end = tree.end[at];
  const depth = tree.depth.subarray(at, end);
  return makeTree(
    Int32Array.from(depth, (d, k) => (k === 0 ? 0 : depth[k - 1] + 1 - d)),
    tree.fn.slice(at, end),
    tree.self.slice(at, end),
    null,
  );
}

test("hiding a function gives the stacks without it", () => {
  for (const seed of seeds) {
    const e = randomExample(seed);
    for (const gone of [["f"], ["g", "h"], ["f", "g", "h", "i", "j"], []]) {
      const hidden = Uint8Array.from(e.functions.name, (n) => (gone.includes(n) ? 1 : 0));
      const { tree, from } = hideFunctions(e.tree, hidden);
      const want = new Map<string, number>();
      let atRoot = 0;
      for (const [stack, n] of e.stacks) {
        const left = stack.filter((name) => !gone.includes(name)).join(";");
        if (left === "") atRoot += n;
        else want.set(left, (want.get(left) ?? 0) + n);
      }
      const got = stacksOf(tree, e.functions.name);
      assert.deepEqual(new Map([...got].sort()), new Map([...want].sort()));
      assert.equal(tree.self[0], atRoot);
      assert.equal(tree.total[0], e.tree.total[0]);
      checkMerged(tree);
      for (let i = 0; i < tree.count; i++) {
        if (from[i] >= 0) assert.equal(e.tree.fn[from[i]], tree.fn[i]);
      }
    }
  }
});

function checkMerged(tree: Tree): void {
  for (let i = 0; i < tree.count; i++) {
    const seen = new Set<number>();
    for (let c = i + 1; c < tree.end[i]; c = tree.end[c]) {
      assert.ok(!seen.has(tree.fn[c]), "one node for each function below a caller");
      seen.add(tree.fn[c]);
    }
  }
}

test("hiding keeps what was left out", () => {
  const e = example({ "a;b;c": 5, "a;b;d": 1, "a;x": 1 });
  const coarse = pruned(e.tree, 2);
  const hidden = Uint8Array.from(e.functions.name, (n) => (n === "b" ? 1 : 0));
  const { tree } = hideFunctions(coarse, hidden);
  assert.equal(tree.total[0], 7);
  assert.deepEqual([...stacksOf(tree, e.functions.name)].sort(), [
    ["a;(left out)", 2],
    ["a;c", 5],
  ]);
});

test("marks count every marked node, and hits are the outermost, heaviest first", () => {
  for (const seed of seeds) {
    const e: Example = randomExample(seed);
    const tree = pruned(e.tree, 8);
    const { layout, node } = place(tree);
    const marked = Uint8Array.from(e.functions.name, (n) => (n === "f" || n === "i" ? 1 : 0));
    const m = markTree(tree, node, marked, 2);
    for (let k = 0; k < node.length; k++) {
      const is = layout.fn[k] >= 0 ? marked[layout.fn[k]] : 0;
      assert.equal(m.before[k + 1] - m.before[k], is);
    }
    assert.equal(m.weight, matchedWeight(tree, marked));
    assert.equal(
      [...m.hits].reduce((sum, k) => sum + layout.width[k], 0),
      m.weight,
    );
    for (let k = 1; k < m.hits.length; k++) {
      assert.ok(layout.width[m.hits[k - 1]] >= layout.width[m.hits[k]]);
    }
  }
});

test("a function keeps its number in every answer, and both sides have the same", () => {
  const worker = new FunctionTable();
  const page = new FunctionTable();
  const columns = (ids: number[]): Parameters<FunctionTable["add"]>[0] => ({
    ids,
    names: ids.map((id) => (id === 0 || id === 9 ? "" : `f${id}`)),
    kinds: [],
    origins: ids.map(() => "library"),
    binary: ids.map((id) => (id === 9 ? 1 : 0)),
    file: ids.map(() => 0),
    line: ids.map(() => 0),
    binaries: ["", "/usr/lib/libc.so.6"],
    files: [""],
  });
  assert.deepEqual([...worker.add(columns([0, 5, 3]))], [1, 2, 3]);
  page.add(worker.since(1));
  assert.deepEqual([...worker.add(columns([0, 3, 9, 5]))], [1, 3, 4, 2]);
  page.add(worker.since(4));
  assert.deepEqual(page.names, ["all", "(unknown)", "f5", "f3", "(unnamed in libc.so.6)"]);
  assert.deepEqual(page.ids, worker.ids);
  assert.equal(page.indexOf(9), 4);
  assert.equal(page.indexOf(8), -1);
  const { functions, found } = worker.search(/libc|f5/);
  assert.deepEqual([...functions], [0, 0, 1, 0, 1]);
  assert.equal(found, 2);
});
