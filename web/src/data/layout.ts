// A layout is a tree made ready for drawing: its nodes level by level, each
// level sorted by left edge, so that what is visible is found by binary search.

import type { Tree } from "./profile";

export const OTHERS = -1; // function index of "too small to tell apart here"

export interface Layout {
  readonly total: number; // width of level 0
  readonly levels: number;
  readonly first: Int32Array; // level l is [first[l], first[l+1])
  readonly fn: Int32Array;
  readonly line: Int32Array | null;
  readonly start: Float64Array;
  readonly width: Float64Array;
  // What replaces the colour of a function, one for each node, and what each such colour
  // puts before a name, so that nothing is told by colour alone.
  readonly shade?: Uint8Array;
  readonly signs?: readonly string[];
}

// A layout with the tree's node that each of its own stands for.
export interface Placed {
  readonly layout: Layout;
  // Of OTHERS it is ~n, n being the node whose children were left out.
  readonly node: Int32Array;
}

export function layoutOf(tree: Tree): Layout {
  return place(tree).layout;
}

// place sorts nodes by level. Preorder keeps each level in order; a node for what was left
// out below another comes once that one's children have been placed.
export function place(tree: Tree): Placed {
  const { count, depth, end, rest } = tree;
  let levels = 0;
  let extra = 0;
  for (let i = 0; i < count; i++) {
    const left = rest !== null && rest[i] > 0;
    if (left) extra++;
    const deepest = depth[i] + (left ? 2 : 1);
    if (deepest > levels) levels = deepest;
  }
  const first = new Int32Array(levels + 1);
  for (let i = 0; i < count; i++) {
    first[depth[i] + 1]++;
    if (rest !== null && rest[i] > 0) first[depth[i] + 2]++;
  }
  for (let l = 0; l < levels; l++) first[l + 1] += first[l];
  const next = first.slice();
  const fn = new Int32Array(count + extra);
  const line = tree.line ? new Int32Array(count + extra) : null;
  const start = new Float64Array(count + extra);
  const width = new Float64Array(count + extra);
  const node = new Int32Array(count + extra);
  const open: number[] = []; // nodes that lack children and are not at their end
  const close = (upTo: number): void => {
    for (let p = open.at(-1); p !== undefined && end[p] <= upTo; p = open.at(-1)) {
      open.pop();
      const at = next[depth[p] + 1]++;
      fn[at] = OTHERS;
      width[at] = rest?.[p] ?? 0;
      // A node's own weight is on the right of what it calls.
      start[at] = tree.start[p] + tree.total[p] - tree.self[p] - width[at];
      node[at] = ~p;
    }
  };
  for (let i = 0; i < count; i++) {
    close(i);
    const at = next[depth[i]]++;
    fn[at] = tree.fn[i];
    start[at] = tree.start[i];
    width[at] = tree.total[i];
    node[at] = i;
    if (line && tree.line) line[at] = tree.line[i];
    if (rest !== null && rest[i] > 0) open.push(i);
  }
  close(count);
  const layout = { total: tree.total[0] ?? 0, levels, first, fn, line, start, width };
  return { layout, node };
}

// firstVisible is the first node of a level that ends right of x.
export function firstVisible(l: Layout, level: number, x: number): number {
  let lo = l.first[level];
  let hi = l.first[level + 1];
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (l.start[mid] + l.width[mid] > x) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}

// nodeAt is the node of a level that covers x, or -1.
export function nodeAt(l: Layout, level: number, x: number): number {
  if (level < 0 || level >= l.levels) return -1;
  const i = firstVisible(l, level, x);
  return i < l.first[level + 1] && l.start[i] <= x ? i : -1;
}

export function levelOf(l: Layout, node: number): number {
  let lo = 0;
  let hi = l.levels;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (l.first[mid + 1] > node) hi = mid;
    else lo = mid + 1;
  }
  return lo;
}

export function centre(l: Layout, node: number): number {
  return l.start[node] + l.width[node] / 2;
}

// childSum is what of a node's width its children explain; the rest is its own.
export function childSum(l: Layout, level: number, node: number): number {
  if (level + 1 >= l.levels) return 0;
  const right = l.start[node] + l.width[node];
  let sum = 0;
  const stop = l.first[level + 2];
  for (let i = firstVisible(l, level + 1, l.start[node]); i < stop && l.start[i] < right; i++) {
    sum += l.width[i];
  }
  return sum;
}
