// The machine code of a function put in order: what is hot with what stands around it,
// and which loops each instruction is in. It knows neither the page nor the server.

import type { components } from "../../api/schema";

export type Code = components["schemas"]["Instructions"];
export type MachineFunction = Code["functions"][number];
export type Loop = MachineFunction["loops"][number];
export type Instruction = MachineFunction["instructions"][number];

// Edge is what a loop's bracket is at an instruction.
export type Edge = "first" | "last" | "inside" | "only";

export interface Bracket {
  readonly loop: Loop;
  readonly edge: Edge;
}

export interface CodeRow {
  readonly at: Instruction;
  readonly hot: boolean;
  readonly brackets: readonly Bracket[]; // of the loops that it is in, the outermost first
  readonly heads: readonly Loop[]; // loops of which it is the first that is shown
  readonly left: number; // instructions before it that are not shown
  readonly meant: number; // samples of instructions behind it that are meant for it
}

const AROUND = 1; // instructions that stand beside a hot one
const HOT = 0.02; // of the function: an instruction that is shown
const MARKED = 0.1; // of the function: one that is marked
const FEW = 16; // instructions of which all are shown

export function codeRows(f: MachineFunction, whole: boolean): readonly CodeRow[] {
  const list = f.instructions;
  const shown = whole || list.length <= FEW ? list.map(() => true) : chosen(f);
  const meant = new Map<number, number>();
  for (const i of list) if (i.for !== undefined) meant.set(i.for, (meant.get(i.for) ?? 0) + i.self);
  const [first, last] = ends(f);
  const out: CodeRow[] = [];
  const begun = new Set<Loop>();
  let left = 0;
  list.forEach((at, n) => {
    if (!shown[n]) {
      left++;
      return;
    }
    const loops = around(f, at.address);
    const heads = loops.filter((l) => !begun.has(l));
    for (const l of heads) begun.add(l);
    const brackets = loops.map((loop) => ({
      loop,
      edge: edgeOf(first.get(loop) === n, last.get(loop) === n),
    }));
    const own = meant.get(at.address) ?? 0;
    out.push({ at, hot: at.self >= MARKED * f.self, brackets, heads, left, meant: own });
    left = 0;
  });
  return out;
}

function edgeOf(first: boolean, last: boolean): Edge {
  if (first && last) return "only";
  return first ? "first" : last ? "last" : "inside";
}

// around are the loops that an address is in, the outermost first.
function around(f: MachineFunction, address: number): readonly Loop[] {
  return f.loops
    .filter((l) => l.ranges.some(([from = 0, to = 0]) => address >= from && address < to))
    .sort((a, b) => a.depth - b.depth);
}

function ends(f: MachineFunction): [Map<Loop, number>, Map<Loop, number>] {
  const first = new Map<Loop, number>();
  const last = new Map<Loop, number>();
  f.instructions.forEach((i, n) => {
    for (const l of around(f, i.address)) {
      if (!first.has(l)) first.set(l, n);
      last.set(l, n);
    }
  });
  return [first, last];
}

// chosen are the hot ones, their neighbours, and what their samples are meant for.
function chosen(f: MachineFunction): boolean[] {
  const list = f.instructions;
  const out = list.map(() => false);
  const position = new Map(list.map((i, n) => [i.address, n]));
  list.forEach((i, n) => {
    if (i.self === 0 || i.self < HOT * f.self) return;
    for (let k = Math.max(0, n - AROUND); k <= Math.min(list.length - 1, n + AROUND); k++)
      out[k] = true;
    const cause = i.for === undefined ? undefined : position.get(i.for);
    if (cause !== undefined) out[cause] = true;
  });
  return out;
}
