// How the parts of a finding are said: as internal/report/html and
// internal/report/loopview say them.

import { percent } from "../../format/number";
import type { Finding, Place, Role, World } from "./finding";

export function ratio(r: number): string {
  return Number.isFinite(r) ? `${r.toFixed(2)}×` : "without bound";
}

export function ratioRange(low: number, high: number): string {
  const [a, b] = [ratio(low), ratio(high)];
  return a === b ? a : `${a.replace(/×$/, "")} – ${b}`;
}

export function percentRange(low: number, high: number): string {
  const [a, b] = [percent(low), percent(high)];
  if (a === b) return a;
  return `${a.replace(/%$/, "").replace(/^-/, "−")} – ${b}`;
}

// speedUp turns a fraction of CPU time given back into a ratio (Amdahl).
export function speedUp(fraction: number): number {
  return fraction >= 1 ? Infinity : 1 / (1 - fraction);
}

// sourceRange is file:line or file:line–line, "" without a file.
export function sourceRange(p: Place): string {
  if (!p.file) return "";
  if (!p.line) return p.file;
  return p.end_line !== undefined && p.end_line > p.line
    ? `${p.file}:${p.line}–${p.end_line}`
    : `${p.file}:${p.line}`;
}

export function where(p: Place): string {
  return [p.function ?? "", p.binary ?? "", sourceRange(p)].filter((s) => s !== "").join(" · ");
}

// functionNames are those that a finding is about: of its place, or those that its
// evidence names ("malloc in libc.so.6").
export function functionNames(f: Finding): readonly string[] {
  if (f.place.function) return [f.place.function];
  return f.evidence.flatMap((e) => {
    const at = e.text.lastIndexOf(" in ");
    return e.kind === "symbol" && at > 0 ? [e.text.slice(0, at)] : [];
  });
}

const ROLES: readonly Role[] = ["first", "write", "second"];

export function sign(role: Role): string {
  return String(ROLES.indexOf(role) + 1);
}

const SAYS: Record<Role, string> = { first: "loaded", write: "written", second: "loaded again" };

export interface Mark {
  readonly sign: string;
  readonly says: string;
  readonly what: string;
  readonly at: string; // "" in the excerpt's own file
}

// legend says what each sign in an excerpt means, and what of it is in other files.
export function legend(f: Finding): readonly Mark[] {
  const out: Mark[] = [];
  for (const role of ROLES) {
    let said = false;
    for (const a of f.accesses ?? []) {
      const elsewhere = a.file !== f.source?.file;
      if (a.role !== role || (said && !elsewhere)) continue;
      said = true;
      const at = elsewhere ? `${a.file}:${a.line}` : "";
      const what = a.text === undefined || a.text === "" ? (a.type ?? "") : a.text;
      out.push({ sign: sign(role), says: SAYS[role], what, at });
    }
  }
  return out;
}

// restOfEvidence leaves out what the excerpt and the table of worlds show.
export function restOfEvidence(f: Finding): Finding["evidence"] {
  return f.evidence.filter((e) => {
    if (e.kind === "world") return (f.worlds ?? []).length === 0;
    if (["first", "write", "load", "access"].includes(e.kind))
      return f.source === undefined || (f.accesses ?? []).length === 0;
    return true;
  });
}

export function shape(w: World): string {
  switch (w.fate) {
    case "vectorised": {
      const width = w.width ?? 0;
      const interleave = w.interleave ?? 0;
      return interleave > 1 ? `vectorised ${width} × ${interleave}` : `vectorised ${width}`;
    }
    case "library call":
      return "a library call, or gone";
    case "unrolled":
      return `unrolled fully, ${w.unroll ?? 0} iterations`;
    case "unknown":
      return "not found again";
    case "scalar": {
      const unrolled = (w.unroll ?? 0) > 1 ? `, unrolled ${w.unroll ?? 0} times` : "";
      const calls = w.calls ? (w.calls === 1 ? ", 1 call" : `, ${w.calls} calls`) : "";
      return `scalar${unrolled}${calls}`;
    }
  }
}

// short writes a number with three digits that count, as %.3g does.
export function short(n: number | undefined): string {
  return n === undefined ? "" : String(Number(n.toPrecision(3)));
}

export function cycleRange(cycles: World["cycles"]): string {
  const all = Object.values(cycles ?? {});
  if (all.length === 0) return "";
  const [least, most] = [short(Math.min(...all)), short(Math.max(...all))];
  return least === most ? least : `${least}–${most}`;
}

export function worldsNote(worlds: readonly World[]): string {
  const models = [...new Set(worlds.flatMap((w) => Object.keys(w.cycles ?? {})))].sort();
  return models.length > 0
    ? `each of one iteration of the source loop; cycles by LLVM's model of ${models.join(", ")}`
    : "loads and stores of one iteration of the source loop";
}
