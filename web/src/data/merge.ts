// Merged trees: the reverse flame graph (who called the code that ran) and the
// two halves of the sandwich (callers and callees of one function). They are
// not shipped: they are grown level by level from the one tree of calls, only
// where a node is wide enough to see, in slices short enough to keep the frame
// rate, and grown again when the user zooms in.

import { OTHERS, type Layout } from "./layout";
import type { Functions, Tree } from "./profile";

export type Direction = "callers" | "callees";

// Seeds are the frames that a merged tree starts from, with their weight.
export interface Seeds {
  readonly node: Int32Array;
  readonly weight: Float64Array;
}

export interface Detail {
  readonly from: number; // value range in which nodes are followed…
  readonly to: number;
  readonly minimum: number; // …when they weigh at least this
}

// leafSeeds are all frames that ran code themselves, by self weight.
export function leafSeeds(tree: Tree): Seeds {
  const nodes: number[] = [];
  for (let i = 1; i < tree.count; i++) if (tree.self[i] > 0) nodes.push(i);
  return { node: Int32Array.from(nodes), weight: Float64Array.from(nodes, (i) => tree.self[i]) };
}

// frameSeeds are the outermost frames of a function: a recursive call is inside
// the weight of the first one and must not count again.
export function frameSeeds(tree: Tree, fn: number): Seeds {
  const nodes: number[] = [];
  for (let i = 1; i < tree.count;) {
    if (tree.fn[i] === fn) {
      nodes.push(i);
      i = tree.end[i];
    } else {
      i++;
    }
  }
  return { node: Int32Array.from(nodes), weight: Float64Array.from(nodes, (i) => tree.total[i]) };
}

// steps bounds the work of growing a tree in full.
export function steps(tree: Tree, seeds: Seeds, direction: Direction): number {
  let sum = 0;
  for (const i of seeds.node) {
    sum += direction === "callers" ? tree.depth[i] : tree.end[i] - i;
  }
  return sum;
}

interface Level {
  readonly node: Int32Array; // frames of the tree below which to go on
  readonly weight: Float64Array;
  readonly first: Int32Array; // frames of merged node k are [first[k], first[k+1])
}

const GROUP_BATCH = 4096;

// grow yields whenever it has done a slice of work worth a look at the clock.
// With one root (a function), level 0 is that function; without (-1), level 0
// is the whole profile and level 1 the functions of the seeds.
export function* grow(
  tree: Tree,
  functions: Functions,
  seeds: Seeds,
  direction: Direction,
  root: number,
  detail: Detail,
): Generator<undefined, Layout> {
  const out = new LayoutColumns();
  let total = 0;
  for (const w of seeds.weight) total += w;
  out.push(root < 0 ? tree.fn[0] : root, 0, total);
  out.endLevel();
  const grouper = new Grouper(tree, functions);
  let level: Level = {
    node: seeds.node,
    weight: seeds.weight,
    first: Int32Array.of(0, seeds.node.length),
  };
  let how: Direction | "seeds" = root < 0 ? "seeds" : direction;
  let from = 0;
  let work = 0;
  for (;;) {
    const next = new Frames();
    const to = out.count;
    for (let k = from; k < to; k++) {
      const size = level.first[k - from + 1] - level.first[k - from];
      const left = out.start[k];
      const wide = out.width[k] >= detail.minimum;
      const near = left < detail.to && left + out.width[k] > detail.from;
      if (size === 0 || !wide || !near) continue;
      grouper.gather(level, k - from, how);
      grouper.emit(left, detail.minimum / 4, out, next);
      work += size;
      if (work > GROUP_BATCH) {
        work = 0;
        yield;
      }
    }
    if (out.count === to) break;
    out.endLevel();
    level = next.level();
    from = to;
    how = direction;
  }
  return out.layout();
}

// Grouper collects the frames one step from a merged node and sorts them into
// groups by function. Its marks are stamped with an epoch, so that nothing is
// cleared between nodes.
class Grouper {
  private epoch = 0;
  private readonly stamp: Int32Array;
  private readonly slot: Int32Array;
  private fns: number[] = [];
  private weights: number[] = [];
  private counts: number[] = [];
  private readonly frames = new Frames();

  constructor(
    private readonly tree: Tree,
    private readonly functions: Functions,
  ) {
    this.stamp = new Int32Array(functions.count);
    this.slot = new Int32Array(functions.count);
  }

  gather(level: Level, k: number, how: Direction | "seeds"): void {
    this.epoch++;
    this.fns = [];
    this.weights = [];
    this.counts = [];
    this.frames.clear();
    const { parent, end, total } = this.tree;
    for (let c = level.first[k]; c < level.first[k + 1]; c++) {
      const node = level.node[c];
      if (how === "seeds") {
        this.add(node, level.weight[c]);
      } else if (how === "callers") {
        if (parent[node] > 0) this.add(parent[node], level.weight[c]);
      } else {
        for (let i = node + 1; i < end[node]; i = end[i]) this.add(i, total[i]);
      }
    }
  }

  private add(node: number, weight: number): void {
    const fn = this.tree.fn[node];
    if (this.stamp[fn] !== this.epoch) {
      this.stamp[fn] = this.epoch;
      this.slot[fn] = this.fns.length;
      this.fns.push(fn);
      this.weights.push(0);
      this.counts.push(0);
    }
    const slot = this.slot[fn];
    this.weights[slot] += weight;
    this.counts[slot]++;
    this.frames.push(node, weight);
  }

  // emit lays the groups side by side from left, heaviest first. What is too
  // light becomes one node without a name, so that no weight is lost from view.
  emit(left: number, lightest: number, out: LayoutColumns, next: Frames): void {
    const name = this.functions.name;
    const order = this.fns
      .map((_, i) => i)
      .sort((a, b) => {
        const byWeight = this.weights[b] - this.weights[a];
        if (byWeight !== 0) return byWeight;
        const na = name[this.fns[a]];
        const nb = name[this.fns[b]];
        return na < nb ? -1 : na > nb ? 1 : this.fns[a] - this.fns[b];
      });
    const place = new Int32Array(order.length).fill(-1);
    let x = left;
    let others = 0;
    for (const slot of order) {
      const w = this.weights[slot];
      if (w <= 0) continue;
      if (w < lightest) {
        others += w;
        continue;
      }
      out.push(this.fns[slot], x, w);
      place[slot] = next.reserve(this.counts[slot]);
      x += w;
    }
    if (others > 0) {
      out.push(OTHERS, x, others);
      next.reserve(0);
    }
    for (let i = 0; i < this.frames.size; i++) {
      const node = this.frames.node[i];
      const slot = this.slot[this.tree.fn[node]];
      const at = place[slot];
      if (at < 0) continue;
      next.node[at] = node;
      next.weight[at] = this.frames.weight[i];
      place[slot] = at + 1;
    }
  }
}

// Frames is a growing list of (frame, weight) with the group borders of a level.
class Frames {
  node = new Int32Array(1024);
  weight = new Float64Array(1024);
  size = 0;
  private readonly borders: number[] = [0];

  clear(): void {
    this.size = 0;
  }

  push(node: number, weight: number): void {
    const at = this.room(1);
    this.node[at] = node;
    this.weight[at] = weight;
  }

  // reserve makes place for a group and returns where it starts.
  reserve(count: number): number {
    const at = this.room(count);
    this.borders.push(this.size);
    return at;
  }

  level(): Level {
    return { node: this.node, weight: this.weight, first: Int32Array.from(this.borders) };
  }

  private room(count: number): number {
    const at = this.size;
    this.size += count;
    if (this.size > this.node.length) {
      const capacity = Math.max(this.size, this.node.length * 2);
      const node = new Int32Array(capacity);
      node.set(this.node);
      this.node = node;
      const weight = new Float64Array(capacity);
      weight.set(this.weight);
      this.weight = weight;
    }
    return at;
  }
}

class LayoutColumns {
  readonly fn: number[] = [];
  readonly start: number[] = [];
  readonly width: number[] = [];
  private readonly first: number[] = [0];

  get count(): number {
    return this.fn.length;
  }

  push(fn: number, start: number, width: number): void {
    this.fn.push(fn);
    this.start.push(start);
    this.width.push(width);
  }

  endLevel(): void {
    this.first.push(this.fn.length);
  }

  layout(): Layout {
    return {
      total: this.width[0] ?? 0,
      levels: this.first.length - 1,
      first: Int32Array.from(this.first),
      fn: Int32Array.from(this.fn),
      line: null,
      start: Float64Array.from(this.start),
      width: Float64Array.from(this.width),
    };
  }
}
