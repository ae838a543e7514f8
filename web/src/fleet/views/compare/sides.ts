// Which two things are compared, as the address has it: two times, or two values of a
// dimension within one time. It knows neither the page nor the server.

import type { Address, Parameters } from "../../state/address";
import { format, instant } from "../../state/moment";

export const BY = ["time", "version", "service", "host", "container"] as const;
export type By = (typeof BY)[number];

export const OWN = {
  by: "compare.by",
  before: "compare.before",
  after: "compare.after",
  sort: "compare.sort",
  sure: "compare.sure",
  show: "compare.show",
} as const;

export function byOf(a: Address): By {
  return BY.find((b) => b === a.own[OWN.by]) ?? "time";
}

// Times before the one that the page shows: as far back as it is long, a day, a week.
export const EARLIER = ["previous", "day", "week"] as const;
export type Earlier = (typeof EARLIER)[number];

const DAY = 86_400_000;

export interface Range {
  readonly from: number; // ms
  readonly to: number;
}

// rangeBefore reads what the time is compared with: one of EARLIER, or FROM..TO.
export function rangeBefore(a: Address, now: number): Range {
  const from = instant(a.from, now);
  const to = instant(a.to, now);
  const text = a.own[OWN.before] ?? "previous";
  const [first, last, ...more] = text.split("..");
  if (last !== undefined && more.length === 0) {
    const given = { from: instant(first ?? "", now), to: instant(last, now) };
    if (given.from < given.to) return given;
  }
  const back = text === "week" ? 7 * DAY : text === "day" ? DAY : to - from;
  return { from: from - back, to: to - back };
}

// Value is a value of a dimension and when it was first seen.
export interface Value {
  readonly value: string;
  readonly first: string;
}

// sidesOf gives the two values that are compared: those that were chosen, else of versions the
// newest two, the older one before, and of others the first two, which take most CPU: the newest
// service is some process that ran once. Undefined where there are not two.
export function sidesOf(a: Address, values: readonly Value[]): [string, string] | undefined {
  const usual = [...values];
  if (byOf(a) === "version") {
    usual.sort(
      (x, y) =>
        Date.parse(y.first) - Date.parse(x.first) ||
        y.value.localeCompare(x.value, undefined, { numeric: true }),
    );
  }
  const chosen = (name: string): string | undefined => a.own[name];
  const after = chosen(OWN.after) ?? usual.find((v) => v.value !== chosen(OWN.before))?.value;
  const before = chosen(OWN.before) ?? usual.find((v) => v.value !== after)?.value;
  return before === undefined || after === undefined ? undefined : [before, after];
}

const MINUTE = 60_000;

// halves cuts in two what the server has samples of, up to a time. Undefined where that is less
// than two minutes: samples are known by the minute.
export function halves(
  to: number,
  covered: number, // ms
): { readonly before: Range; readonly after: Range } | undefined {
  const half = Math.floor(covered / 2 / MINUTE) * MINUTE;
  if (half < MINUTE) return undefined;
  const end = Math.ceil(to / MINUTE) * MINUTE;
  return {
    before: { from: end - 2 * half, to: end - half },
    after: { from: end - half, to: end },
  };
}

// question gives the parameters of the comparison; selection are those of both sides.
export function question(
  a: Address,
  selection: Parameters,
  now: number,
  sides: [string, string] | undefined,
): Parameters | null {
  const by = byOf(a);
  if (by === "time") {
    const before = rangeBefore(a, now);
    return { ...selection, "before.from": format(before.from), "before.to": format(before.to) };
  }
  if (sides === undefined || sides[0] === sides[1]) return null;
  return { ...without(selection, by), [`before.${by}`]: [sides[0]], [`after.${by}`]: [sides[1]] };
}

// without leaves a parameter out.
export function without(parameters: Parameters, name: string): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([n]) => n !== name));
}

// half gives what one side asks beside what both do, by the names of other questions.
export function half(question: Parameters, side: "before" | "after"): Parameters {
  return Object.fromEntries(
    Object.entries(question).flatMap(([name, value]) =>
      name.startsWith(`${side}.`) ? [[name.slice(side.length + 1), value]] : [],
    ),
  );
}
