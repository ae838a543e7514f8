// CPU as cores: weight by the length of the time that an answer is about, as far as the
// project has samples of it: neither the time before the first sample nor that between two
// profiles that were pushed is idle.

import type { components } from "../api/schema";
import { integer, small } from "../../format/number";

export type Basis = components["schemas"]["Basis"];

// uncovered says whether a part of the range without samples is worth a word.
export function uncovered(basis: Basis): boolean {
  const whole = (Date.parse(basis.to) - Date.parse(basis.from)) / 1000;
  return basis.covered_seconds > 0 && basis.covered_seconds < 0.9 * whole;
}

const UNITS: Readonly<Record<string, number>> = { nanoseconds: 1e9, microseconds: 1e6, seconds: 1 };

// cores are how many processors a weight kept busy on average.
export function cores(weight: number, basis: Basis): number {
  const length = basis.covered_seconds;
  return length > 0 ? weight / (UNITS[basis.unit] ?? 1e9) / length : 0;
}

// coresText has two figures that count of small numbers, so that the rows of a small program
// differ.
export function coresText(n: number): string {
  if (n === 0) return "0";
  if (Math.abs(n) < 0.000001) return n < 0 ? ">-0.000001" : "<0.000001";
  if (Math.abs(n) < 0.001) return small(n);
  if (Math.abs(n) >= 1000) return integer(n);
  return n.toFixed(Math.abs(n) < 0.1 ? 3 : Math.abs(n) < 10 ? 2 : 1);
}

// ticksText writes the ticks of an axis, each with the digits that tell it from the next one.
export function ticksText(ticks: readonly number[]): readonly string[] {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0));
  let digits = 0;
  while (digits < 9 && Math.abs(step - Number(step.toFixed(digits))) > step / 1000) digits++;
  return ticks.map((t) => (t === 0 ? "0" : digits === 0 ? integer(t) : t.toFixed(digits)));
}
