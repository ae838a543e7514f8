// What a search marks in a tree: where the hits are, and what share of the weight they
// touch.

import type { Tree } from "./profile";

export interface Marks {
  readonly functions: Uint8Array; // by function: 1 for a hit
  readonly found: number; // functions
  // How many marked nodes of the layout go before each one, so that a strip of many thin
  // nodes shows a hit without a look at each.
  readonly before: Int32Array;
  // The outermost marked nodes of the layout, the heaviest first.
  readonly hits: Int32Array;
  readonly weight: number; // of the stacks with a hit
}

const MOST_HITS = 10_000;

// markTree takes a layout's nodes as place gives them.
export function markTree(
  tree: Tree,
  node: Int32Array,
  functions: Uint8Array,
  found: number,
): Marks {
  const count = node.length;
  const before = new Int32Array(count + 1);
  const at = new Int32Array(tree.count); // of each node in the layout
  for (let k = 0; k < count; k++) {
    const i = node[k];
    before[k + 1] = before[k] + (i >= 0 ? functions[tree.fn[i]] : 0);
    if (i >= 0) at[i] = k;
  }
  const hits: number[] = [];
  let weight = 0;
  for (let i = 1; i < tree.count;) {
    if (functions[tree.fn[i]]) {
      hits.push(at[i]);
      weight += tree.total[i];
      i = tree.end[i];
    } else {
      i++;
    }
  }
  hits.sort((a, b) => tree.total[node[b]] - tree.total[node[a]] || a - b);
  return { functions, found, before, hits: Int32Array.from(hits.slice(0, MOST_HITS)), weight };
}
