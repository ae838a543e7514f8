// What "now" is, for the whole page: every view answers for the same minutes until the
// reader asks for newer ones, so that numbers of two views belong together.

import { batch, signal, type ReadonlySignal } from "@preact/signals";

const WRONG = 10_000; // ms that two clocks may differ

// ahead is how far the server's clock is before the browser's, in milliseconds.
let ahead = 0;
const current = signal(seconds());
const count = signal(0);

// moment is the time that "now" stands for, in milliseconds since 1970.
export const moment: ReadonlySignal<number> = current;

// generation counts how often everything was to be asked again.
export const generation: ReadonlySignal<number> = count;

let told = false;

// setServerTime hears of the server's clock with each answer. With the first one "now" is put
// right at once: the browser's own may be hours away, where there are no samples.
export function setServerTime(time: number): void {
  if (!Number.isFinite(time)) return;
  ahead = time - Date.now();
  if (!told && Math.abs(seconds() - current.peek()) > WRONG) current.value = seconds();
  told = true;
}

// renew makes now what it is now; what depends on it is asked again.
export function renew(): void {
  batch(() => {
    current.value = seconds();
    count.value++;
  });
}

function seconds(): number {
  return Math.floor((Date.now() + ahead) / 1000) * 1000;
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

// instant reads a time as the API does: RFC 3339, now, now-24h. NaN is none.
export function instant(text: string, now: number = current.value): number {
  const m = /^now(?:-(\d{1,9})([smhdw]))?$/.exec(text);
  if (m) return m[1] === undefined ? now : now - Number(m[1]) * UNITS[m[2] ?? "s"];
  return /^\d{4}-\d\d-\d\d[Tt]/.test(text) ? Date.parse(text) : NaN;
}

// absolute is a time in RFC 3339, which does not change when it is asked later.
export function absolute(text: string, now: number = current.value): string {
  const at = instant(text, now);
  return Number.isNaN(at) ? text : format(at);
}

export function format(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
