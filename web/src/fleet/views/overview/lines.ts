// The lines of the overview: cores over time for each value of a dimension, ready to be
// stacked. It knows neither the page nor the chart.

import type { Answer } from "../../api/client";

export type Timeline = Answer<"/api/v1/timeline">;

export interface Line {
  readonly value: string; // of the dimension
  readonly others: boolean; // it is all that got no line of its own
  readonly weight: number;
  readonly cores: readonly number[]; // by step
  readonly color: number; // which colour of the chart
}

export interface Lines {
  readonly times: readonly number[]; // seconds since 1970, where a step begins
  readonly step: number; // seconds
  readonly lines: readonly Line[]; // by falling weight, the others last
}

const PER_SECOND = 1e9; // CPU time is in nanoseconds

// linesOf takes an answer. The step that is not over yet is divided by what of it has
// passed: else the line would seem to fall at its end.
export function linesOf(t: Timeline): Lines {
  const start = Date.parse(t.start) / 1000;
  const from = Date.parse(t.basis.from) / 1000;
  const to = Date.parse(t.basis.to) / 1000;
  const times: number[] = [];
  const lengths: number[] = [];
  for (let i = 0; i < t.steps; i++) {
    const begin = start + i * t.step_seconds;
    times.push(begin);
    const whole = Math.min(begin + t.step_seconds, to) - Math.max(begin, from);
    lengths.push(Math.max(whole, Math.min(t.step_seconds, 60)));
  }
  const lines = t.lines.map((l, i) => ({
    value: l.value,
    others: t.others > 0 && i === t.lines.length - 1,
    weight: l.weight.reduce((a, b) => a + b, 0),
    cores: l.weight.map((w, step) => w / PER_SECOND / (lengths[step] ?? t.step_seconds)),
    color: i,
  }));
  return { times, step: t.step_seconds, lines };
}

// stacked are the upper edges of lines laid on one another, the last line at the bottom,
// so that the largest is on top and begins where the others end.
export function stacked(lines: readonly Line[], steps: number): number[][] {
  const out: number[][] = [];
  const below = new Array<number>(steps).fill(0);
  for (const l of [...lines].reverse()) {
    for (let i = 0; i < steps; i++) below[i] += l.cores[i] ?? 0;
    out.unshift(below.slice());
  }
  return out;
}

// at is what is under the pointer: all cores of a step, and the lines that have most.
export function at(
  l: Lines,
  step: number,
  most = 4,
): { all: number; first: readonly Line[]; rest: number } {
  const all = l.lines.reduce((sum, one) => sum + (one.cores[step] ?? 0), 0);
  const first = l.lines
    .filter((one) => !one.others && (one.cores[step] ?? 0) > 0)
    .sort((a, b) => (b.cores[step] ?? 0) - (a.cores[step] ?? 0))
    .slice(0, most);
  return { all, first, rest: all - first.reduce((sum, one) => sum + (one.cores[step] ?? 0), 0) };
}
