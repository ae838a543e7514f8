// A tree in which the part below one node is exchanged for a fuller one.

import { makeTree, type Tree } from "./profile";

// graft puts a tree in the place of a node. Its root is that node.
export function graft(tree: Tree, node: number, part: Tree): Tree {
  const after = tree.end[node];
  const count = node + part.count + tree.count - after;
  const depth = new Int32Array(count);
  const fn = new Int32Array(count);
  const self = new Float64Array(count);
  const rest = tree.rest || part.rest ? new Float64Array(count) : null;
  let at = 0;
  const copy = (from: Tree, begin: number, end: number, deeper: number): void => {
    for (let i = begin; i < end; i++, at++) {
      depth[at] = from.depth[i] + deeper;
      fn[at] = from.fn[i];
      self[at] = from.self[i];
      if (rest && from.rest) rest[at] = from.rest[i];
    }
  };
  copy(tree, 0, node, 0);
  copy(part, 0, part.count, tree.depth[node]);
  copy(tree, after, tree.count, 0);
  const step = new Int32Array(count);
  for (let i = 1; i < count; i++) step[i] = depth[i - 1] + 1 - depth[i];
  return makeTree(step, fn, self, null, rest);
}
