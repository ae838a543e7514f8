// The profile as the page holds it: one table of functions and one tree of
// calls, both in columns. Nothing here knows the DOM.

export const UNKNOWN = 0;
export const GROUP = 5; // index in palette.json: a process or thread, not code

export interface Functions {
  readonly count: number;
  readonly name: readonly string[]; // "" when the code has no symbol
  readonly origin: Uint8Array; // index in palette.json
  readonly library: Int32Array; // index in libraries
  readonly file: Int32Array; // index in files
  readonly line: Int32Array; // 0 when not known
  readonly libraries: readonly string[]; // paths; [0] is ""
  readonly files: readonly string[]; // paths; [0] is ""
}

// Nodes are in preorder; node 0 is the whole profile. Values are in the
// profile's unit.
export interface Tree {
  readonly count: number;
  readonly parent: Int32Array; // -1 for node 0
  readonly depth: Int32Array;
  readonly end: Int32Array; // one past the last node of the subtree
  readonly fn: Int32Array;
  readonly line: Int32Array | null; // source line of the frame, where the tree is split by it
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly start: Float64Array; // left edge: children are packed from their parent's left
  readonly rest: Float64Array | null; // weight of children that were left out; null for none
}

export interface Profile {
  readonly title: string;
  readonly valueType: string;
  readonly unit: string;
  readonly samples: number; // events, which decide the sampling error
  readonly firstView: "flame" | "reverse";
  readonly rootBelow: boolean; // how it is drawn until the reader turns it
  readonly functions: Functions;
  readonly tree: Tree;
  readonly bill: Bill | null; // of all of it; null without prices
}

// Bill is what CPU costs in a year, as internal/finding has it.
export interface Bill {
  readonly cores: number;
  readonly currency?: string;
  readonly money_per_year?: number;
  readonly co2_kg_per_year?: number;
}

export class DamagedData extends Error {}

// makeTree derives what the columns on the wire leave out: parents, subtree
// ends, totals and left edges. step is how many levels up from a child of the
// node before.
export function makeTree(
  step: Int32Array,
  fn: Int32Array,
  self: Float64Array,
  line: Int32Array | null,
  rest: Float64Array | null = null,
): Tree {
  const count = step.length;
  const parent = new Int32Array(count);
  const depth = new Int32Array(count);
  const end = new Int32Array(count);
  const total = new Float64Array(self);
  const start = new Float64Array(count);
  parent[0] = -1;
  for (let i = 1; i < count; i++) {
    const d = depth[i - 1] + 1 - step[i];
    if (d < 1) throw new DamagedData(`node ${i} lies outside the tree (depth ${d})`);
    depth[i] = d;
    let p = i - 1;
    while (depth[p] >= d) p = parent[p];
    parent[i] = p;
  }
  for (let i = count - 1; i > 0; i--) {
    const p = parent[i];
    if (rest) total[i] += rest[i];
    total[p] += total[i];
    if (end[i] === 0) end[i] = i + 1;
    if (end[p] < end[i]) end[p] = end[i];
  }
  if (count > 0 && end[0] === 0) end[0] = 1;
  if (rest && count > 0) total[0] += rest[0];
  const cursor = new Float64Array(count);
  for (let i = 1; i < count; i++) {
    const p = parent[i];
    start[i] = cursor[p];
    cursor[p] += total[i];
    cursor[i] = start[i];
  }
  return { count, parent, depth, end, fn, line, self, total, start, rest };
}
