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
  readonly total: number; // sum of the weights
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
  return seedsOf(nodes, tree.self);
}

function seedsOf(nodes: readonly number[], weights: Float64Array): Seeds {
  const weight = new Float64Array(nodes.length);
  let total = 0;
  for (let k = 0; k < nodes.length; k++) {
    weight[k] = weights[nodes[k]];
    total += weight[k];
  }
  return { node: new Int32Array(nodes), weight, total };
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
  return seedsOf(nodes, tree.total);
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

const SLICE = 4096; // frames looked at between two looks at the clock

// grow yields whenever it has done a slice of work, so that its caller can let
// the page draw. With one root (a function), level 0 is that function; without
// (-1), level 0 is the whole profile and level 1 the functions of the seeds.
export function* grow(
  workspace: Workspace,
  direction: Direction,
  root: number,
  detail: Detail,
): Generator<undefined, Layout> {
  const { tree, seeds, grouper } = workspace;
  const out = new LayoutColumns();
  out.push(root < 0 ? tree.fn[0] : root, 0, seeds.total);
  out.endLevel();
  let level: Level = {
    node: seeds.node,
    weight: seeds.weight,
    first: Int32Array.of(0, seeds.node.length),
  };
  let next = workspace.one;
  let spare = workspace.other; // the level before last, to write into again
  let how: Direction | "seeds" = root < 0 ? "seeds" : direction;
  let from = 0;
  let work = 0;
  for (;;) {
    next.clear();
    const to = out.count;
    for (let k = from; k < to; k++) {
      const first = level.first[k - from];
      const last = level.first[k - from + 1];
      const left = out.start[k];
      const wide = out.width[k] >= detail.minimum;
      const near = left < detail.to && left + out.width[k] > detail.from;
      if (first === last || !wide || !near) continue;
      grouper.begin();
      for (let c = first; c < last; c += SLICE) {
        const stop = Math.min(last, c + SLICE);
        grouper.gather(level, how, c, stop);
        work += stop - c;
        if (work >= SLICE) {
          work = 0;
          yield;
        }
      }
      grouper.emit(left, detail.minimum / 4, out, next);
      for (let i = 0; i < grouper.size; i += SLICE) {
        grouper.sortInto(next, i, Math.min(grouper.size, i + SLICE));
        if (grouper.size > SLICE) yield;
      }
    }
    if (out.count === to) break;
    out.endLevel();
    level = next;
    [next, spare] = [spare, next];
    from = to;
    how = direction;
  }
  return out.layout();
}

// Workspace is the memory that growing from the same seeds needs time and
// again; taking it anew for each zoom would keep the garbage collector busy. One
// growth at a time may use it.
export class Workspace {
  readonly grouper: Grouper;
  readonly one: Frames;
  readonly other: Frames;

  constructor(
    readonly tree: Tree,
    functions: Functions,
    readonly seeds: Seeds,
  ) {
    const capacity = seeds.node.length;
    this.grouper = new Grouper(tree, functions.count, capacity);
    this.one = new Frames(capacity);
    this.other = new Frames(capacity);
  }
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
  private place = new Int32Array(0); // where the next frame of a group goes, -1 for none
  private readonly frames: Frames;

  constructor(
    private readonly tree: Tree,
    functions: number,
    capacity: number,
  ) {
    this.frames = new Frames(capacity);
    this.stamp = new Int32Array(functions);
    this.slot = new Int32Array(functions);
  }

  get size(): number {
    return this.frames.size;
  }

  begin(): void {
    this.epoch++;
    this.fns = [];
    this.weights = [];
    this.counts = [];
    this.frames.clear();
  }

  gather(level: Level, how: Direction | "seeds", from: number, to: number): void {
    const { parent, end, total } = this.tree;
    for (let c = from; c < to; c++) {
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
    this.place = new Int32Array(this.fns.length).fill(-1);
    const shown: number[] = [];
    let others = 0;
    for (let slot = 0; slot < this.fns.length; slot++) {
      const w = this.weights[slot];
      if (w > 0 && w >= lightest) shown.push(slot);
      else if (w > 0) others += w;
    }
    let x = left;
    for (const slot of shown.sort(this.heavier)) {
      out.push(this.fns[slot], x, this.weights[slot]);
      this.place[slot] = next.reserve(this.counts[slot]);
      x += this.weights[slot];
    }
    if (others > 0) {
      out.push(OTHERS, x, others);
      next.reserve(0);
    }
  }

  private readonly heavier = (a: number, b: number): number => {
    const byWeight = this.weights[b] - this.weights[a];
    if (byWeight !== 0) return byWeight;
    return this.fns[a] - this.fns[b];
  };

  sortInto(next: Frames, from: number, to: number): void {
    const { node, weight } = this.frames;
    for (let i = from; i < to; i++) {
      const slot = this.slot[this.tree.fn[node[i]]];
      const at = this.place[slot];
      if (at < 0) continue;
      next.node[at] = node[i];
      next.weight[at] = weight[i];
      this.place[slot] = at + 1;
    }
  }
}

// Frames is a growing list of (frame, weight) with the group borders of a level.
class Frames implements Level {
  node: Int32Array<ArrayBuffer>;
  weight: Float64Array<ArrayBuffer>;
  first = new Int32Array(1024);
  size = 0;
  private groups = 0;

  constructor(capacity: number) {
    this.node = new Int32Array(capacity);
    this.weight = new Float64Array(capacity);
  }

  clear(): void {
    this.size = 0;
    this.groups = 0;
  }

  push(node: number, weight: number): void {
    const at = this.room(1);
    this.node[at] = node;
    this.weight[at] = weight;
  }

  // reserve makes place for a group and returns where it starts.
  reserve(count: number): number {
    const at = this.room(count);
    this.groups++;
    if (this.groups >= this.first.length) this.first = grownInts(this.first, this.groups + 1);
    this.first[this.groups] = this.size;
    return at;
  }

  private room(count: number): number {
    const at = this.size;
    this.size += count;
    if (this.size > this.node.length) {
      this.node = grownInts(this.node, this.size);
      this.weight = grownFloats(this.weight, this.size);
    }
    return at;
  }
}

function grownInts(a: Int32Array<ArrayBuffer>, least: number): Int32Array<ArrayBuffer> {
  const b = new Int32Array(Math.max(least, a.length * 2));
  b.set(a);
  return b;
}

function grownFloats(a: Float64Array<ArrayBuffer>, least: number): Float64Array<ArrayBuffer> {
  const b = new Float64Array(Math.max(least, a.length * 2));
  b.set(a);
  return b;
}

class LayoutColumns {
  count = 0;
  start = new Float64Array(1024);
  width = new Float64Array(1024);
  private fn = new Int32Array(1024);
  private readonly first: number[] = [0];

  push(fn: number, start: number, width: number): void {
    const at = this.count++;
    if (at === this.fn.length) {
      this.fn = grownInts(this.fn, at + 1);
      this.start = grownFloats(this.start, at + 1);
      this.width = grownFloats(this.width, at + 1);
    }
    this.fn[at] = fn;
    this.start[at] = start;
    this.width[at] = width;
  }

  endLevel(): void {
    this.first.push(this.count);
  }

  layout(): Layout {
    return {
      total: this.width[0],
      levels: this.first.length - 1,
      first: new Int32Array(this.first),
      fn: this.fn.subarray(0, this.count),
      line: null,
      start: this.start.subarray(0, this.count),
      width: this.width.subarray(0, this.count),
    };
  }
}
