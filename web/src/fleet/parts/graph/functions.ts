// The functions of a graph, by number. Answers bring them one after the other; a function
// keeps its number, so that a fuller tree changes nothing that is known by it. The worker
// has a table and the page the same one.

import type { FunctionColumns } from "../../../data/columns";
import { basename } from "../../../data/measure";
import { GROUP, type Functions } from "../../../data/profile";
import { ORIGINS } from "../origin";

// Numbers of the server from here on stand for the value of a label, and not for a function.
export const FIRST_VALUE = 0xf0000000;

// ROOT is the number of what all stacks begin with, which is no function.
export const ROOT = 0;

export class FunctionTable {
  readonly ids: number[] = [-1];
  readonly names: string[] = ["all"]; // never empty, for people
  readonly origins: number[] = [GROUP]; // positions in the palette
  readonly binary: number[] = [0];
  readonly file: number[] = [0];
  readonly line: number[] = [0];
  readonly binaries: string[] = [""];
  readonly files: string[] = [""];
  private readonly byId = new Map<number, number>();
  private readonly byBinary = new Map<string, number>([["", 0]]);
  private readonly byFile = new Map<string, number>([["", 0]]);

  get count(): number {
    return this.ids.length;
  }

  indexOf(id: number): number {
    return this.byId.get(id) ?? -1;
  }

  nameOf(fn: number): string {
    return this.names[fn] ?? "";
  }

  // add gives the number of each function of the columns.
  add(more: FunctionColumns): Int32Array {
    const binary = more.binaries.map((s) => intern(this.byBinary, this.binaries, s));
    const file = more.files.map((s) => intern(this.byFile, this.files, s));
    return Int32Array.from(more.ids, (id, i) => {
      let at = this.byId.get(id);
      if (at === undefined) {
        at = this.ids.length;
        this.byId.set(id, at);
        this.ids.push(id);
        this.names.push(readable(more.names[i], more.binaries[more.binary[i]]));
        this.origins.push(Math.max(0, ORIGINS.indexOf(more.origins[i])));
        this.binary.push(binary[more.binary[i]]);
        this.file.push(file[more.file[i]]);
        this.line.push(more.line[i]);
      }
      return at;
    });
  }

  // since gives those from a number on, for another table to add.
  since(first: number): FunctionColumns {
    return {
      ids: this.ids.slice(first),
      names: this.names.slice(first),
      kinds: [],
      origins: this.origins.slice(first).map((o) => ORIGINS[o]),
      binary: this.binary.slice(first),
      file: this.file.slice(first),
      line: this.line.slice(first),
      binaries: this.binaries,
      files: this.files,
    };
  }

  // search marks the functions whose name, binary or file matches.
  search(expression: RegExp): { functions: Uint8Array; found: number } {
    const functions = new Uint8Array(this.count);
    const hit = (s: string): boolean => s !== "" && expression.test(s);
    const byBinary = this.binaries.map(hit);
    const byFile = this.files.map(hit);
    let found = 0;
    for (let f = ROOT + 1; f < this.count; f++) {
      if (byBinary[this.binary[f]] || byFile[this.file[f]] || hit(this.names[f])) {
        functions[f] = 1;
        found++;
      }
    }
    return { functions, found };
  }

  // columns are the table as the painter's palette takes functions.
  columns(): Functions {
    return {
      count: this.count,
      name: this.names,
      origin: Uint8Array.from(this.origins),
      library: Int32Array.from(this.binary),
      file: Int32Array.from(this.file),
      line: Int32Array.from(this.line),
      libraries: this.binaries,
      files: this.files,
    };
  }
}

// An address without a name is told by its binary.
function readable(name: string, binary: string): string {
  if (name !== "") return name;
  return binary === "" ? "(unknown)" : `(unnamed in ${basename(binary)})`;
}

function intern(seen: Map<string, number>, list: string[], s: string): number {
  let at = seen.get(s);
  if (at === undefined) {
    at = list.length;
    seen.set(s, at);
    list.push(s);
  }
  return at;
}
