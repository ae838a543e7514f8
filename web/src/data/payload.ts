// The wire form of a profile inside the page; internal/report/html/payload.go
// writes it. zlib (RFC 1950) around: the length of a JSON header (4 bytes, little
// endian), the header, then one stream of base-128 varints per column of the
// tree (step, function, self, and line where the header says so).

import { DamagedData, makeTree, type Bill, type Functions, type Profile } from "./profile";
import { VarintReader } from "./varint";

const VERSION = 1;

interface Header {
  version: number;
  title: string;
  type: string;
  unit: string;
  samples: number;
  from_leaf: boolean;
  root_below: boolean;
  nodes: number;
  lines: boolean;
  names: string[];
  origins: number[];
  library: number[];
  file: number[];
  line: number[];
  libraries: string[];
  files: string[];
  bill?: Bill;
}

export async function inflate(base64: string): Promise<Uint8Array> {
  const raw = atob(base64.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function decode(bytes: Uint8Array): Profile {
  if (bytes.length < 4) throw new DamagedData("the data block is empty");
  const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (4 + size > bytes.length) throw new DamagedData("the data block is cut short in its header");
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size))) as Header;
  if (header.version !== VERSION) {
    throw new DamagedData(
      `the data block has version ${header.version}, this page reads ${VERSION}`,
    );
  }
  const n = header.nodes;
  const reader = new VarintReader(bytes, 4 + size);
  const step = reader.column(new Int32Array(n));
  const fn = reader.column(new Int32Array(n));
  const self = reader.signedColumn(new Float64Array(n));
  const line = header.lines ? reader.column(new Int32Array(n)) : null;
  const functions = makeFunctions(header);
  for (let i = 0; i < n; i++) {
    if (fn[i] >= functions.count) throw new DamagedData(`node ${i} names function ${fn[i]}`);
  }
  return {
    title: header.title,
    valueType: header.type,
    unit: header.unit,
    samples: header.samples,
    firstView: header.from_leaf ? "reverse" : "flame",
    rootBelow: header.root_below,
    functions,
    tree: makeTree(step, fn, self, line),
    bill: header.bill ?? null,
  };
}

function makeFunctions(h: Header): Functions {
  return {
    count: h.names.length,
    name: h.names,
    origin: Uint8Array.from(h.origins),
    library: Int32Array.from(h.library),
    file: Int32Array.from(h.file),
    line: Int32Array.from(h.line),
    libraries: h.libraries,
    files: h.files,
  };
}
