// Numbers about functions, taken from the tree of calls.

import { GROUP, type Functions, type Tree } from "./profile";

export interface FunctionTotals {
  readonly self: Float64Array;
  readonly total: Float64Array; // a recursive function counts once a sample
}

export function functionTotals(tree: Tree, count: number): FunctionTotals {
  const self = new Float64Array(count);
  const total = new Float64Array(count);
  const until = new Int32Array(count); // end of the subtree in which a function is already counted
  for (let i = 1; i < tree.count; i++) {
    const fn = tree.fn[i];
    self[fn] += tree.self[i];
    if (i >= until[fn]) {
      total[fn] += tree.total[i];
      until[fn] = tree.end[i];
    }
  }
  return { self, total };
}

// matchedWeight is the weight of the stacks that hold at least one marked function.
export function matchedWeight(tree: Tree, marked: Uint8Array): number {
  let sum = 0;
  for (let i = 1; i < tree.count;) {
    if (marked[tree.fn[i]]) {
      sum += tree.total[i];
      i = tree.end[i];
    } else {
      i++;
    }
  }
  return sum;
}

export interface Search {
  readonly marked: Uint8Array;
  readonly functions: number;
  readonly error: string; // why the pattern cannot be used, or ""
}

// search marks functions whose name, library or file matches. Lower case
// matches any case, as in most editors.
export function search(functions: Functions, pattern: string): Search {
  const marked = new Uint8Array(functions.count);
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, pattern === pattern.toLowerCase() ? "i" : "");
  } catch (e) {
    return { marked, functions: 0, error: e instanceof Error ? e.message : String(e) };
  }
  const hit = (s: string): number => (s !== "" && expression.test(s) ? 1 : 0);
  const byLibrary = functions.libraries.map(hit);
  const byFile = functions.files.map(hit);
  let count = 0;
  for (let f = 0; f < functions.count; f++) {
    if (byLibrary[functions.library[f]] || byFile[functions.file[f]] || hit(functions.name[f])) {
      marked[f] = 1;
      count++;
    }
  }
  return { marked, functions: count, error: "" };
}

// findFunctions marks what a finding points at: functions in a binary, or all of
// a binary where it names no function. Either may be empty.
export function findFunctions(
  functions: Functions,
  names: readonly string[],
  binary: string,
): Uint8Array {
  const marked = new Uint8Array(functions.count);
  const base = basename(binary);
  const wanted = new Set(names);
  for (let f = 0; f < functions.count; f++) {
    if (functions.origin[f] === GROUP) continue;
    const inBinary = base === "" || basename(functions.libraries[functions.library[f]]) === base;
    const named = wanted.size === 0 ? base !== "" : wanted.has(functions.name[f]);
    if (inBinary && named) marked[f] = 1;
  }
  return marked;
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const Z95 = 1.959963984540054;

// shareError is the half-width of the 95 % Wilson score interval of a share
// seen in n events; finding.ShareError is the same in Go.
export function shareError(share: number, n: number): number {
  if (n <= 0) return 1;
  const s = Math.min(1, Math.max(0, share));
  const z2 = Z95 * Z95;
  return (Z95 / (1 + z2 / n)) * Math.sqrt((s * (1 - s)) / n + z2 / (4 * n * n));
}
