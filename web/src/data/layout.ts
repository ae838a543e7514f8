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
}

export function layoutOf(tree: Tree): Layout {
  let levels = 0;
  for (let i = 0; i < tree.count; i++) levels = Math.max(levels, tree.depth[i] + 1);
  const first = new Int32Array(levels + 1);
  for (let i = 0; i < tree.count; i++) first[tree.depth[i] + 1]++;
  for (let l = 0; l < levels; l++) first[l + 1] += first[l];
  const next = first.slice();
  const fn = new Int32Array(tree.count);
  const line = tree.line ? new Int32Array(tree.count) : null;
  const start = new Float64Array(tree.count);
  const width = new Float64Array(tree.count);
  for (let i = 0; i < tree.count; i++) {
    const at = next[tree.depth[i]]++;
    fn[at] = tree.fn[i];
    start[at] = tree.start[i];
    width[at] = tree.total[i];
    if (line && tree.line) line[at] = tree.line[i];
  }
  return { total: tree.total[0] ?? 0, levels, first, fn, line, start, width };
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
