// A tree as folded stacks, the text that FlameGraph, speedscope and others read: one line
// for each stack, outermost function first, weight last.

import type { Tree } from "./profile";

// foldedText has stacks whose children were left out end in a frame that says so, so that
// the weights add up.
export function foldedText(tree: Tree, nameOf: (fn: number) => string, unit: number): string {
  const names = new Map<number, string>();
  const frame = (fn: number): string => {
    let s = names.get(fn);
    if (s === undefined) {
      s = nameOf(fn)
        .replace(/;/g, ":")
        .replace(/[\n\r]/g, " ");
      names.set(fn, s);
    }
    return s;
  };
  const out: string[] = [];
  const stack: string[] = [];
  const line = (end: string, weight: number): void => {
    const value = Math.round(weight / unit);
    if (value > 0) out.push(`${stack.join(";")}${end} ${value}\n`);
  };
  const leftOut = "(left out)";
  line(leftOut, tree.rest?.[0] ?? 0);
  for (let i = 1; i < tree.count; i++) {
    stack.length = tree.depth[i] - 1;
    stack.push(frame(tree.fn[i]));
    line("", tree.self[i]);
    line(`;${leftOut}`, tree.rest?.[i] ?? 0);
  }
  return out.join("");
}
