// Two trees as one: every call that either of them has, as wide as the mean of its two
// shares, so that what went away is seen as well as what came.

import type { Events } from "./columns";
import { makeTree, type Tree } from "./profile";
import { shareError } from "./measure";

// Half is one of the two trees, with what its shares rest on.
export interface Half {
  readonly tree: Tree;
  readonly events: Events;
}

// Shares are those of each node, and the events behind each.
export interface Shares {
  readonly share: Float64Array;
  readonly events: Float64Array;
}

export interface Difference {
  readonly tree: Tree; // weights are shares
  readonly before: Shares;
  readonly after: Shares;
}

// Of one function there is one node below a caller, in each tree.
export function difference(first: Half, second: Half): Difference {
  const a = first.tree;
  const b = second.tree;
  const most = a.count + b.count;
  const depth = new Int32Array(most);
  const fn = new Int32Array(most);
  const self = new Float64Array(most);
  const rest = new Float64Array(most);
  const before = new Float64Array(most);
  const after = new Float64Array(most);
  const eventsBefore = new Float64Array(most);
  const eventsAfter = new Float64Array(most);
  let count = 0;
  // part is what of a tree's whole a column has at a node that may be missing.
  const part = (t: Tree, column: Float64Array | null, i: number): number =>
    i < 0 || column === null || !(t.total[0] > 0) ? 0 : column[i] / t.total[0];
  const children = (t: Tree, i: number, to: Map<number, [number, number]>, side: 0 | 1): void => {
    if (i < 0) return;
    for (let c = i + 1; c < t.end[i]; c = t.end[c]) {
      const pair = to.get(t.fn[c]);
      if (pair) pair[side] = c;
      else to.set(t.fn[c], side === 0 ? [c, -1] : [-1, c]);
    }
  };
  const put = (i: number, j: number, d: number): void => {
    const at = count++;
    depth[at] = d;
    fn[at] = i >= 0 ? a.fn[i] : b.fn[j];
    before[at] = part(a, a.total, i);
    after[at] = part(b, b.total, j);
    eventsBefore[at] = i >= 0 ? first.events.each[i] : absent(first, second, j);
    eventsAfter[at] = j >= 0 ? second.events.each[j] : absent(second, first, i);
    self[at] = (part(a, a.self, i) + part(b, b.self, j)) / 2;
    rest[at] = (part(a, a.rest, i) + part(b, b.rest, j)) / 2;
    const below = new Map<number, [number, number]>();
    children(a, i, below, 0);
    children(b, j, below, 1);
    const width = ([x, y]: [number, number]): number => part(a, a.total, x) + part(b, b.total, y);
    const sorted = [...below.values()].sort((x, y) => width(y) - width(x));
    for (const [x, y] of sorted) put(x, y, d + 1);
  };
  put(a.count > 0 ? 0 : -1, b.count > 0 ? 0 : -1, 0);
  const step = new Int32Array(count);
  for (let i = 1; i < count; i++) step[i] = depth[i - 1] + 1 - depth[i];
  const cut = rest.subarray(0, count);
  const tree = makeTree(
    step,
    fn.subarray(0, count),
    self.subarray(0, count),
    null,
    cut.some((r) => r > 0) ? cut : null,
  );
  return {
    tree,
    before: { share: before.subarray(0, count), events: eventsBefore.subarray(0, count) },
    after: { share: after.subarray(0, count), events: eventsAfter.subarray(0, count) },
  };
}

// absent gives the events behind the share of a node that a half does not have: it is known
// no better than in the other half, as it may have run in the part that is estimated.
function absent(half: Half, other: Half, node: number): number {
  const { all } = other.events;
  const n = node < 0 ? all : other.events.each[node];
  return n >= all || all <= 0 ? half.events.all : half.events.all * (n / all);
}

// Changes are told apart in so many steps each way.
export const CHANGE_STEPS = 3;

// changeOf is how much a share changed, from -3 (gone, or nearly) by 0 (no more than the
// samples can tell) to 3 (new, or nearly).
export function changeOf(
  before: number,
  after: number,
  eventsBefore: number,
  eventsAfter: number,
): number {
  const delta = after - before;
  const error = Math.hypot(shareError(before, eventsBefore), shareError(after, eventsAfter));
  if (Math.abs(delta) <= error) return 0;
  const relative = Math.abs(delta) / (before + after);
  const step = relative < 0.1 ? 0 : relative < 0.33 ? 1 : relative < 0.66 ? 2 : 3;
  return Math.sign(delta) * step;
}
