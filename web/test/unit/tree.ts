// Trees for tests, written as stacks: { "main;parse;malloc": 3 }.

import { makeTree, type Functions, type Tree } from "../../src/data/profile";

export interface Example {
  readonly tree: Tree;
  readonly functions: Functions;
  readonly stacks: readonly (readonly [readonly string[], number])[];
  id(name: string): number;
}

interface Node {
  readonly children: Map<string, Node>;
  self: number;
}

export function example(folded: Record<string, number>): Example {
  const root: Node = { children: new Map(), self: 0 };
  const stacks = Object.entries(folded).map(([s, n]) => [s.split(";"), n] as const);
  for (const [stack, n] of stacks) {
    let at = root;
    for (const name of stack) {
      let next = at.children.get(name);
      if (!next) {
        next = { children: new Map(), self: 0 };
        at.children.set(name, next);
      }
      at = next;
    }
    at.self += n;
  }
  const names = ["all"];
  const id = (name: string): number => {
    if (!names.includes(name)) names.push(name);
    return names.indexOf(name);
  };
  const step: number[] = [];
  const fn: number[] = [];
  const self: number[] = [];
  let depth = -1;
  const visit = (name: string, node: Node, d: number): void => {
    step.push(depth + 1 - d);
    depth = d;
    fn.push(id(name));
    self.push(node.self);
    for (const [child, c] of node.children) visit(child, c, d + 1);
  };
  visit("all", root, 0);
  const tree = makeTree(Int32Array.from(step), Int32Array.from(fn), Float64Array.from(self), null);
  const count = names.length;
  const functions: Functions = {
    count,
    name: names,
    origin: Uint8Array.from(names, (n) => (n === "all" ? 5 : 1)),
    library: new Int32Array(count),
    file: new Int32Array(count),
    line: new Int32Array(count),
    libraries: [""],
    files: [""],
  };
  return { tree, functions, stacks, id };
}

// randomExample is the same for the same seed.
export function randomExample(seed: number): Example {
  let state = seed * 2654435761 + 1;
  const next = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const folded: Record<string, number> = {};
  for (let i = 1 + next(40); i > 0; i--) {
    const stack = Array.from({ length: 1 + next(7) }, () => "fghij"[next(5)]);
    folded[stack.join(";")] = 1 + next(20);
  }
  return example(folded);
}
