// The lines of a function put in order: by file, with the source around what ran, and
// with the findings that are about them. It knows neither the page nor the server.

import type { components } from "../../api/schema";
import type { Kept, Role } from "../../parts/finding";

export type Answer = components["schemas"]["Lines"];
export type Cost = Answer["lines"][number];

export interface Row {
  readonly line: number;
  readonly cost: Cost | undefined; // nothing ran there
  readonly text: string | undefined; // of the source, where it is known
  readonly marks: readonly Role[]; // of a finding
  readonly loop: boolean; // of a finding
  readonly gap: boolean; // lines before it are left out
}

export interface File {
  readonly file: string;
  readonly self: number;
  readonly total: number; // of its hottest line: a sample may be on several
  readonly lines: readonly Cost[];
}

function hasLine(l: Cost): l is Cost & { file: string; line: number } {
  return l.file !== undefined && l.line !== undefined;
}

// files puts the lines of each file together, that of the function itself first and the
// others, whose code was inlined, by what ran in them.
export function files(answer: Answer): readonly File[] {
  const by = new Map<string, Cost[]>();
  for (const l of answer.lines) {
    if (!hasLine(l)) continue;
    const list = by.get(l.file);
    if (list) list.push(l);
    else by.set(l.file, [l]);
  }
  return [...by]
    .map(([file, lines]) => ({
      file,
      lines,
      self: lines.reduce((sum, l) => sum + l.self, 0),
      total: Math.max(...lines.map((l) => l.total)),
    }))
    .sort(
      (a, b) =>
        Number(b.file === answer.function.file) - Number(a.file === answer.function.file) ||
        b.self - a.self ||
        b.total - a.total,
    );
}

// addresses are the lines that have none: where the binary tells no lines.
export function addresses(answer: Answer): readonly Cost[] {
  return answer.lines.filter((l) => !hasLine(l) && l.offset !== undefined);
}

// named is what came with the function's name, and neither line nor address.
export function named(answer: Answer): readonly Cost[] {
  return answer.lines.filter((l) => !hasLine(l) && l.offset === undefined);
}

// sameFile says whether two paths are of one file: equal, or one of them ends as the
// other with at least its directory. Builds write paths in many ways.
export function sameFile(a: string, b: string): boolean {
  const [x, y] = [a, b].map((p) => p.split("/").filter((part) => part !== "" && part !== "."));
  if (x === undefined || y === undefined) return false;
  const n = Math.min(x.length, y.length);
  if (n < 2) return a === b;
  return x.slice(-n).join("/") === y.slice(-n).join("/");
}

// about are the findings that are about the function, in a file of it, or about the range
// of lines of the file that ran.
export function about(findings: readonly Kept[], file: File, name: string): readonly Kept[] {
  const first = Math.min(...file.lines.map((l) => l.line ?? 0));
  const last = Math.max(...file.lines.map((l) => l.line ?? 0));
  return findings.filter((k) => {
    const { place, source } = k.finding;
    const path = place.file ?? source?.file;
    if (path === undefined || !sameFile(path, file.file)) return false;
    if (place.function === name) return true;
    const numbers = source?.lines.map((l) => l.number) ?? [];
    const from = Math.min(place.line ?? Infinity, ...numbers);
    const to = Math.max(place.end_line ?? place.line ?? 0, ...numbers);
    return from <= last && to >= first;
  });
}

const AROUND = 3; // lines of source around one that ran

// rows lists what is shown of a file. source is its text by line, where the server has it;
// what is not in it is taken from the excerpts of findings. whole shows all of the source.
export function rows(
  file: File,
  source: readonly string[] | undefined,
  findings: readonly Kept[],
  whole: boolean,
): readonly Row[] {
  const cost = new Map(file.lines.map((l) => [l.line ?? 0, l]));
  const shown = new Set(cost.keys());
  const excerpts = new Map<number, { text: string; marks: readonly Role[]; loop: boolean }>();
  for (const k of findings)
    for (const l of k.finding.source?.lines ?? []) {
      excerpts.set(l.number, { text: l.text, marks: l.marks ?? [], loop: l.loop ?? false });
      shown.add(l.number);
    }
  if (source !== undefined)
    for (const line of [...shown])
      for (let i = line - AROUND; i <= line + AROUND; i++)
        if (i >= 1 && i <= source.length) shown.add(i);
  if (source !== undefined && whole) for (let i = 1; i <= source.length; i++) shown.add(i);
  const list = [...shown].sort((a, b) => a - b);
  return list.map((line, i) => {
    const excerpt = excerpts.get(line);
    return {
      line,
      cost: cost.get(line),
      text: source?.[line - 1] ?? excerpt?.text,
      marks: excerpt?.marks ?? [],
      loop: excerpt?.loop ?? false,
      gap: i > 0 && line > (list[i - 1] ?? 0) + 1,
    };
  });
}
