import assert from "node:assert/strict";
import { test } from "node:test";
import { centre, nodeAt, OTHERS, type Layout } from "../../src/data/layout";
import {
  frameSeeds,
  grow,
  leafSeeds,
  steps,
  Workspace,
  type Detail,
  type Seeds,
} from "../../src/data/merge";
import { randomExample, type Example } from "./tree";

const whole: Detail = { from: 0, to: Infinity, minimum: 0 };

function grown(
  e: Example,
  seeds: Seeds,
  direction: "callers" | "callees",
  root: number,
  detail = whole,
): Layout {
  const work = grow(new Workspace(e.tree, e.functions, seeds), direction, root, detail);
  for (;;) {
    const r = work.next();
    if (r.done) return r.value;
  }
}

// paths spells a layout out: how much weight passes through each path of names.
function paths(e: Example, l: Layout): Map<string, number> {
  const spelled: string[] = [];
  const sums = new Map<string, number>();
  for (let level = 0; level < l.levels; level++) {
    for (let i = l.first[level]; i < l.first[level + 1]; i++) {
      const parent = level === 0 ? -1 : nodeAt(l, level - 1, centre(l, i));
      const name = l.fn[i] === OTHERS ? "?" : e.functions.name[l.fn[i]];
      spelled[i] = parent < 0 ? name : `${spelled[parent]};${name}`;
      sums.set(spelled[i], (sums.get(spelled[i]) ?? 0) + l.width[i]);
    }
  }
  return sums;
}

// expected counts the same by hand, from stacks that all start with root.
function expected(stacks: readonly (readonly [readonly string[], number])[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [stack, n] of stacks) {
    for (let i = 1; i <= stack.length; i++) {
      const path = stack.slice(0, i).join(";");
      sums.set(path, (sums.get(path) ?? 0) + n);
    }
  }
  return sums;
}

test("the reverse graph is that of the stacks turned round", () => {
  for (let seed = 0; seed < 60; seed++) {
    const e = randomExample(seed);
    const turned = e.stacks.map(([s, n]) => [["all", ...[...s].reverse()], n] as const);
    assert.deepEqual(
      sorted(paths(e, grown(e, leafSeeds(e.tree), "callers", -1))),
      sorted(expected(turned)),
    );
  }
});

test("the sandwich is the stacks cut at the outermost frame of the function", () => {
  for (let seed = 0; seed < 60; seed++) {
    const e = randomExample(seed);
    for (const name of e.functions.name.slice(1)) {
      const fn = e.id(name);
      const hit = e.stacks.filter(([s]) => s.includes(name));
      const up = hit.map(([s, n]) => [s.slice(0, s.indexOf(name) + 1).reverse(), n] as const);
      const down = hit.map(([s, n]) => [s.slice(s.indexOf(name)), n] as const);
      const seeds = frameSeeds(e.tree, fn);
      assert.deepEqual(sorted(paths(e, grown(e, seeds, "callers", fn))), sorted(expected(up)));
      assert.deepEqual(sorted(paths(e, grown(e, seeds, "callees", fn))), sorted(expected(down)));
    }
  }
});

function sorted(m: Map<string, number>): [string, number][] {
  return [...m].sort(([a], [b]) => (a < b ? -1 : 1));
}

test("siblings are packed from the left, heaviest first", () => {
  for (let seed = 0; seed < 30; seed++) {
    const e = randomExample(seed);
    const l = grown(e, leafSeeds(e.tree), "callers", -1);
    for (let level = 1; level < l.levels; level++) {
      for (let i = l.first[level] + 1; i < l.first[level + 1]; i++) {
        const parent = nodeAt(l, level - 1, centre(l, i));
        if (nodeAt(l, level - 1, centre(l, i - 1)) !== parent) continue;
        assert.equal(l.start[i], l.start[i - 1] + l.width[i - 1]);
        assert.ok(l.width[i] <= l.width[i - 1]);
      }
    }
  }
});

test("less detail drops no weight: what is not told apart is one nameless node", () => {
  for (let seed = 0; seed < 60; seed++) {
    const e = randomExample(seed);
    const full = grown(e, leafSeeds(e.tree), "callers", -1);
    const coarse = grown(e, leafSeeds(e.tree), "callers", -1, {
      ...whole,
      minimum: full.total / 4,
    });
    const sum = (l: Layout): number => {
      let s = 0;
      for (let i = l.first[1]; i < l.first[2]; i++) s += l.width[i];
      return s;
    };
    assert.equal(sum(coarse), sum(full));
    assert.ok(coarse.fn.length <= full.fn.length);
    for (let i = 0; i < coarse.fn.length; i++) {
      if (coarse.fn[i] !== OTHERS) assert.ok(coarse.width[i] >= full.total / 16);
    }
  }
});

test("a workspace may be used again and gives the same", () => {
  const e = randomExample(11);
  const seeds = leafSeeds(e.tree);
  const workspace = new Workspace(e.tree, e.functions, seeds);
  const once = (): Layout => {
    const work = grow(workspace, "callers", -1, whole);
    for (;;) {
      const r = work.next();
      if (r.done) return r.value;
    }
  };
  const first = sorted(paths(e, once()));
  assert.deepEqual(sorted(paths(e, once())), first);
  assert.deepEqual(first, sorted(paths(e, grown(e, seeds, "callers", -1))));
});

test("only what is in range is followed", () => {
  const e = randomExample(7);
  const full = grown(e, leafSeeds(e.tree), "callers", -1);
  const half = grown(e, leafSeeds(e.tree), "callers", -1, {
    from: 0,
    to: full.total / 2,
    minimum: 0,
  });
  for (let level = 2; level < half.levels; level++) {
    for (let i = half.first[level]; i < half.first[level + 1]; i++) {
      assert.equal(nodeAt(full, level, centre(half, i)) >= 0, true);
      const parent = nodeAt(half, level - 1, centre(half, i));
      assert.ok(half.start[parent] < full.total / 2);
    }
  }
  assert.ok(half.fn.length < full.fn.length);
});

test("steps bounds the work", () => {
  const e = randomExample(3);
  const seeds = leafSeeds(e.tree);
  let frames = 0;
  for (const i of seeds.node) frames += e.tree.depth[i];
  assert.equal(steps(e.tree, seeds, "callers"), frames);
});
