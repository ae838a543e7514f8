// What the page and its worker say to each other. Each question has a number, and each
// answer that of its question.

import type { Basis, FunctionColumns } from "../../../data/columns";
import type { Shares } from "../../../data/difference";
import type { Layout } from "../../../data/layout";
import type { Marks } from "../../../data/marks";

export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

export type Ask =
  // A graph begins anew with an answer of the server.
  | { kind: "open"; bytes: ArrayBuffer; hidden: readonly number[]; search: Pattern | null }
  // The part below a node, which was asked for by its path.
  | { kind: "more"; node: number; bytes: ArrayBuffer }
  | { kind: "hide"; hidden: readonly number[] }
  | { kind: "search"; search: Pattern | null }
  | { kind: "path"; at: number } // of a node of the layout
  | { kind: "folded" }
  // Two answers as one tree.
  | { kind: "compare"; before: ArrayBuffer; after: ArrayBuffer; search: Pattern | null }
  | { kind: "close" };

// Picture is what there is to paint.
export interface Picture {
  readonly layout: Layout;
  readonly marks: Marks | null;
  readonly basis: Basis;
  readonly complete: boolean; // the server left nothing out
  readonly nodes: number;
  // Functions that the page does not know yet; they follow those that it does.
  readonly added: FunctionColumns;
}

// Compared has the shares of each node of the layout, and the events behind each.
export interface Compared extends Picture {
  readonly beforeBasis: Basis;
  readonly before: Shares;
  readonly after: Shares;
}

// Path leads from the root to a node: functions by id, and the node's number for "more".
export interface Path {
  readonly node: number;
  readonly ids: readonly number[];
}

export interface Told {
  open: Picture;
  more: Picture | null; // null where the part is not of the same weight any more
  hide: Picture;
  search: Marks | null;
  path: Path | null; // null where a node stands for several
  folded: Blob;
  compare: Compared;
  close: null;
}

export interface ToWorker {
  readonly number: number;
  readonly graph: number;
  readonly ask: Ask;
}

export type FromWorker =
  | { readonly number: number; readonly value: Told[keyof Told] }
  | { readonly number: number; readonly error: string };
