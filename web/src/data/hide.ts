// A tree without some functions: what they call takes their place below their caller, and
// their own weight becomes its own. Where that brings two calls of one function together
// they are one.

import { makeTree, type Tree } from "./profile";

export interface Hidden {
  readonly tree: Tree;
  // The one node of the tree before that a node stands for, -1 where it stands for several.
  readonly from: Int32Array;
}

// hideFunctions leaves the root. Weights of all that is left stay as they are.
export function hideFunctions(tree: Tree, hidden: Uint8Array): Hidden {
  return new Hider(tree, hidden).run();
}

class Hider {
  private readonly depth: Int32Array;
  private readonly fn: Int32Array;
  private readonly self: Float64Array;
  private readonly rest: Float64Array;
  private readonly from: Int32Array;
  private readonly before: Int32Array; // hidden nodes before each one
  private count = 0;

  constructor(
    private readonly tree: Tree,
    private readonly hidden: Uint8Array,
  ) {
    const n = tree.count;
    this.depth = new Int32Array(n);
    this.fn = new Int32Array(n);
    this.self = new Float64Array(n);
    this.rest = new Float64Array(n);
    this.from = new Int32Array(n);
    this.before = new Int32Array(n + 1);
    for (let i = 0; i < n; i++) this.before[i + 1] = this.before[i] + hidden[tree.fn[i]];
  }

  run(): Hidden {
    if (this.tree.count > 0) this.put([0], 0);
    const n = this.count;
    const step = new Int32Array(n);
    for (let i = 1; i < n; i++) step[i] = this.depth[i - 1] + 1 - this.depth[i];
    const rest = this.tree.rest === null ? null : this.rest.subarray(0, n);
    const tree = makeTree(step, this.fn.subarray(0, n), this.self.subarray(0, n), null, rest);
    return { tree, from: this.from.subarray(0, n) };
  }

  // put adds one node for several calls of a function, and what is below them.
  private put(members: readonly number[], depth: number): void {
    const { tree } = this;
    const only = members.length === 1 ? members[0] : -1;
    if (only >= 0 && this.before[tree.end[only]] === this.before[only + 1]) {
      this.copy(only, depth);
      return;
    }
    const at = this.count++;
    this.depth[at] = depth;
    this.fn[at] = tree.fn[members[0]];
    this.from[at] = only;
    const below = new Map<number, number[]>();
    for (const m of members) this.take(m, at, below);
    const groups = [...below.values()];
    const weight = groups.map((g) => g.reduce((sum, i) => sum + tree.total[i], 0));
    const order = groups.map((_, i) => i).sort((a, b) => weight[b] - weight[a]);
    for (const g of order) this.put(groups[g], depth + 1);
  }

  // take adds a call's own weight to node at, and its children to the groups.
  private take(call: number, at: number, groups: Map<number, number[]>): void {
    const { tree, hidden } = this;
    this.self[at] += tree.self[call];
    if (tree.rest) this.rest[at] += tree.rest[call];
    for (let c = call + 1; c < tree.end[call]; c = tree.end[c]) {
      if (hidden[tree.fn[c]]) {
        this.take(c, at, groups);
        continue;
      }
      const group = groups.get(tree.fn[c]);
      if (group) group.push(c);
      else groups.set(tree.fn[c], [c]);
    }
  }

  // copy takes a subtree in which nothing is hidden as it is.
  private copy(top: number, depth: number): void {
    const { tree } = this;
    for (let i = top; i < tree.end[top]; i++) {
      const at = this.count++;
      this.depth[at] = depth + tree.depth[i] - tree.depth[top];
      this.fn[at] = tree.fn[i];
      this.self[at] = tree.self[i];
      if (tree.rest) this.rest[at] = tree.rest[i];
      this.from[at] = i;
    }
  }
}
