// Cores over time, ready to be stacked: a line for each value of a dimension, or what a
// function takes itself and what it calls. It knows neither the page nor the chart.

import type { Answer } from "../../api/client";

export type Timeline = Answer<"/api/v1/timeline">;
export type History = Answer<"/api/v1/history">;

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

interface Steps {
  readonly times: readonly number[];
  readonly cores: (weights: readonly number[]) => number[];
}

// stepsOf divides weights by the time of their step. One that is not over yet is divided by
// what of it has passed: else the line would seem to fall at its end.
function stepsOf(t: Pick<Timeline, "start" | "basis" | "step_seconds">, steps: number): Steps {
  const start = Date.parse(t.start) / 1000;
  const from = Date.parse(t.basis.from) / 1000;
  const to = Date.parse(t.basis.to) / 1000;
  const times: number[] = [];
  const lengths: number[] = [];
  for (let i = 0; i < steps; i++) {
    const begin = start + i * t.step_seconds;
    times.push(begin);
    const whole = Math.min(begin + t.step_seconds, to) - Math.max(begin, from);
    lengths.push(Math.max(whole, Math.min(t.step_seconds, 60)));
  }
  const cores = (weights: readonly number[]): number[] =>
    weights.map((w, step) => w / PER_SECOND / (lengths[step] ?? t.step_seconds));
  return { times, cores };
}

const sum = (weights: readonly number[]): number => weights.reduce((a, b) => a + b, 0);

// linesOf takes an answer.
export function linesOf(t: Timeline): Lines {
  const { times, cores } = stepsOf(t, t.steps);
  const lines = t.lines.map((l, i) => ({
    value: l.value,
    others: t.others > 0 && i === t.lines.length - 1,
    weight: sum(l.weight),
    cores: cores(l.weight),
    color: i,
  }));
  return { times, step: t.step_seconds, lines };
}

// functionLines takes two answers about one function: what it took itself, and with what it
// calls.
export function functionLines(self: History, total: History): Lines {
  const all = total.functions[0]?.weight ?? [];
  const own = all.map((_, i) => self.functions[0]?.weight[i] ?? 0);
  const called = all.map((w, i) => Math.max(0, w - (own[i] ?? 0)));
  const { times, cores } = stepsOf(total, all.length);
  const line = (value: string, weights: readonly number[], color: number): Line => ({
    value,
    others: false,
    weight: sum(weights),
    cores: cores(weights),
    color,
  });
  return {
    times,
    step: total.step_seconds,
    lines: [line("itself", own, 0), line("what it calls", called, 1)],
  };
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
