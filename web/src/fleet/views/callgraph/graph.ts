// What the call graph shows: a function in the middle, its largest callers and callees,
// and those of each function that was opened. It knows neither the page nor the server.
//
// Weights are of all stacks of the selection, not only of those through the function in
// the middle: an edge from a to b is every stack on which a called b, whatever is shown
// beside them.

import type { components } from "../../api/schema";

export type Answer = components["schemas"]["Callgraph"];
export type Fn = components["schemas"]["Function"];
export type Direction = "callers" | "callees";

// Opened says of which functions more is shown, and in which direction.
export type Opened = readonly { readonly id: number; readonly direction: Direction }[];

export interface Node {
  readonly id: number;
  readonly fn: Fn;
  readonly total: number | undefined; // unknown until it was asked about
  readonly self: number | undefined;
  // The directions in which there may be more of it.
  readonly more: readonly Direction[];
}

export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

// Rest is what a function has beside what is drawn.
export interface Rest {
  readonly of: number;
  readonly direction: Direction;
  readonly count: number;
  readonly weight: number;
}

export interface Graph {
  readonly middle: number;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly rests: readonly Rest[];
}

// Of each function the largest are drawn at first, and of these none below a share of the
// selection that would be a hair.
const FEW = 7;
const LEAST = 0.001;

export function edgesOf(a: Answer, direction: Direction): Answer["callers"] {
  return direction === "callers" ? a.callers : a.callees;
}

// build makes the graph of the answers that are there; an opened function without one is
// drawn closed.
export function build(middle: number, opened: Opened, answers: ReadonlyMap<number, Answer>): Graph {
  const functions = new Map<number, Fn>();
  const edges = new Map<string, Edge>();
  const rests: Rest[] = [];
  const shown = new Set<string>(); // "ID direction" whose neighbours are drawn
  const draw = (id: number, direction: Direction): void => {
    const answer = answers.get(id);
    if (answer === undefined || shown.has(`${id} ${direction}`)) return;
    shown.add(`${id} ${direction}`);
    functions.set(id, answer.function);
    const list = edgesOf(answer, direction);
    const least = LEAST * answer.basis.value;
    const few = list.filter((e, i) => i < FEW && e.total >= least);
    for (const e of few) {
      if (!functions.has(e.function.id)) functions.set(e.function.id, e.function);
      const [from, to] = direction === "callers" ? [e.function.id, id] : [id, e.function.id];
      edges.set(`${from} ${to}`, { from, to, weight: e.total });
    }
    const weight = list.slice(few.length).reduce((sum, e) => sum + e.total, 0);
    if (list.length > few.length)
      rests.push({ of: id, direction, count: list.length - few.length, weight });
  };
  draw(middle, "callers");
  draw(middle, "callees");
  // What was opened behind a function that is not drawn any more stays out of sight.
  for (const o of opened) if (functions.has(o.id)) draw(o.id, o.direction);
  const nodes = [...functions].map(([id, fn]): Node => {
    const answer = answers.get(id);
    return {
      id,
      fn,
      total: answer?.total,
      self: answer?.self,
      more: (["callers", "callees"] as const).filter((d) => {
        if (shown.has(`${id} ${d}`)) return false;
        return answer === undefined || edgesOf(answer, d).length > 0;
      }),
    };
  });
  return { middle, nodes, edges: [...edges.values()], rests };
}

// The opened functions in the address: "5.u12.d7" are, of the call graph of function 5, the
// callers of 12 and the callees of 7. With another function in the middle it means nothing.
export function parseOpened(text: string, middle: number): Opened {
  const [of, ...rest] = text.split(".");
  if (Number(of) !== middle) return [];
  return rest.flatMap((part) => {
    const m = /^([ud])(\d{1,10})$/.exec(part);
    return m
      ? [{ id: Number(m[2]), direction: m[1] === "u" ? "callers" : "callees" } as const]
      : [];
  });
}

export function formatOpened(opened: Opened, middle: number): string {
  if (opened.length === 0) return "";
  const parts = opened.map((o) => (o.direction === "callers" ? "u" : "d") + String(o.id));
  return [String(middle), ...parts].join(".");
}
