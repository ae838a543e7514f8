// Where the nodes and edges of a call graph are drawn: layers from callers down to
// callees, by dagre (Sugiyama's method).

import { Graph as Layered, layout } from "@dagrejs/dagre";
import type { Graph } from "./graph";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly id: number;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly from: number;
  readonly to: number;
  readonly points: readonly Point[];
  readonly label: Point;
}

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

export const BOX = { width: 190, height: 48 } as const;

// MARGIN has room above the first row and below the last one for what a box says of callers
// and callees that are not drawn.
export const MARGIN = 24;

export function place(graph: Graph): Placed {
  const g = new Layered({ multigraph: false });
  g.setGraph({
    rankdir: "TB",
    nodesep: 22,
    ranksep: 52,
    edgesep: 14,
    marginx: 12,
    marginy: MARGIN,
  });
  g.setDefaultEdgeLabel(() => ({}));
  for (const n of graph.nodes) g.setNode(String(n.id), { ...BOX });
  // A function that calls itself is told by its numbers: a loop would cover its neighbours.
  const heaviest = Math.max(1, ...graph.edges.map((e) => e.weight));
  for (const e of graph.edges) {
    if (e.from === e.to) continue;
    const weight = 1 + Math.round((9 * e.weight) / heaviest);
    g.setEdge(String(e.from), String(e.to), { weight, width: 44, height: 14, labelpos: "c" });
  }
  layout(g);
  const size = g.graph() as { width?: number; height?: number };
  return {
    width: size.width ?? 0,
    height: size.height ?? 0,
    boxes: graph.nodes.map((n) => {
      const at = g.node(String(n.id)) as Point;
      return { id: n.id, x: at.x, y: at.y, ...BOX };
    }),
    lines: g.edges().map((e) => {
      const at = g.edge(e) as { points: Point[]; x: number; y: number };
      return {
        from: Number(e.v),
        to: Number(e.w),
        points: at.points,
        label: { x: at.x, y: at.y },
      };
    }),
  };
}

// curve is a path through points, rounded at each (quadratic, from middle to middle).
export function curve(points: readonly Point[]): string {
  const n = points.length;
  if (n < 2) return "";
  let d = `M${round(points[0].x)} ${round(points[0].y)}`;
  for (let i = 1; i < n - 1; i++) {
    const next = points[i + 1];
    const end =
      i === n - 2 ? next : { x: (points[i].x + next.x) / 2, y: (points[i].y + next.y) / 2 };
    d += `Q${round(points[i].x)} ${round(points[i].y)} ${round(end.x)} ${round(end.y)}`;
  }
  return n === 2 ? `${d}L${round(points[1].x)} ${round(points[1].y)}` : d;
}

const round = (v: number): number => Math.round(v * 10) / 10;
