// A tree as the server gives it: application/vnd.whyhot.tree, which docs/api/openapi.yaml
// describes at /api/v1/tree and internal/server/api/columns.go writes.

import { DamagedData, makeTree, type Tree } from "./profile";
import { VarintReader } from "./varint";

export const TREE_TYPE = "application/vnd.whyhot.tree";
const VERSION = 1;

export interface Basis {
  readonly from: string;
  readonly to: string;
  readonly covered_seconds: number;
  readonly count: number;
  readonly value: number;
  readonly unit: string;
  readonly level: number;
  readonly read: number;
  readonly share_error: number;
}

// The functions of an answer, by column. Those of several answers are put together by id.
export interface FunctionColumns {
  readonly ids: readonly number[];
  readonly names: readonly string[];
  readonly kinds: readonly string[];
  readonly origins: readonly string[];
  readonly binary: readonly number[]; // positions in binaries
  readonly file: readonly number[];
  readonly line: readonly number[];
  readonly binaries: readonly string[];
  readonly files: readonly string[];
}

interface Header extends FunctionColumns {
  readonly version: number;
  readonly basis: Basis;
  readonly root: "callers" | "callees";
  readonly nodes: number;
  readonly scale: number;
  readonly events?: number;
}

// Events are the equally weighted ones that tell as much as those that were read: of all,
// and of each node's share, which differ where a part of the answer is estimated.
export interface Events {
  readonly all: number;
  readonly each: Float64Array;
}

export interface Answered {
  readonly basis: Basis;
  readonly functions: FunctionColumns;
  readonly tree: Tree; // fn is a position in functions
  readonly complete: boolean; // nothing was left out
  readonly events: Events | null; // where they were asked for
}

export function decodeColumns(bytes: Uint8Array): Answered {
  if (bytes.length < 4) throw new DamagedData("the answer is empty");
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (4 + size > bytes.length) throw new DamagedData("the answer is cut short in its header");
  const h = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size))) as Header;
  if (h.version !== VERSION) {
    throw new DamagedData(`the tree has version ${h.version}, this page reads ${VERSION}: reload`);
  }
  const reader = new VarintReader(bytes, 4 + size);
  const step = reader.column(new Int32Array(h.nodes));
  const fn = reader.column(new Int32Array(h.nodes));
  const self = reader.floats(new Float64Array(h.nodes), h.scale);
  for (let i = 0; i < h.nodes; i++) {
    if (fn[i] >= h.ids.length) throw new DamagedData(`node ${i} has function ${fn[i]}`);
  }
  const rest = readRest(reader, h.nodes, h.scale);
  return {
    basis: h.basis,
    functions: h,
    tree: makeTree(step, fn, self, null, rest),
    complete: rest === null,
    events:
      h.events === undefined
        ? null
        : { all: h.events, each: reader.floats(new Float64Array(h.nodes), 1) },
  };
}

function readRest(reader: VarintReader, nodes: number, scale: number): Float64Array | null {
  let rest: Float64Array | null = null;
  for (let at = -1; ;) {
    const step = reader.next();
    if (step === 0) return rest;
    at += step;
    if (at >= nodes) throw new DamagedData(`node ${at} lacks children and is not there`);
    reader.next(); // how many
    rest ??= new Float64Array(nodes);
    rest[at] = reader.next() * scale;
  }
}
