// A finding as docs/finding.schema.json describes it, and as the server keeps it.

import type { components } from "../api/schema";

export type Certainty = "suspected" | "confirmed" | "proved" | "refuted";
export type Role = "first" | "write" | "second";

export interface Place {
  readonly binary?: string;
  readonly build_id?: string;
  readonly function?: string;
  readonly file?: string;
  readonly line?: number;
  readonly end_line?: number;
}

export interface Interval {
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

export interface Trial {
  readonly variant: string;
  readonly command: readonly string[];
  readonly runs: number;
  readonly speed_up: Interval;
  readonly verdict: string;
}

export interface World {
  readonly name: string;
  readonly fate: "scalar" | "vectorised" | "unrolled" | "library call" | "unknown";
  readonly edit?: boolean;
  readonly reached?: boolean;
  readonly width?: number;
  readonly interleave?: number;
  readonly unroll?: number;
  readonly calls?: number;
  readonly loads?: number;
  readonly stores?: number;
  readonly cycles?: Readonly<Record<string, number>>;
}

export interface ExcerptLine {
  readonly number: number;
  readonly text: string;
  readonly loop?: boolean;
  readonly marks?: readonly Role[];
  readonly share?: number;
}

export interface Access {
  readonly role: Role;
  readonly file: string;
  readonly line: number;
  readonly text?: string;
  readonly type?: string;
}

export interface Finding {
  readonly id: string;
  readonly rule: string;
  readonly title: string;
  readonly certainty: Certainty;
  readonly place: Place;
  readonly share: {
    readonly exclusive?: number;
    readonly inclusive?: number;
    readonly error?: number;
  };
  /** Without an estimate there are no numbers, and the basis says why. */
  readonly gain?:
    | {
        readonly low: number;
        readonly high: number;
        readonly likely?: number;
        readonly no_estimate?: undefined;
        readonly basis: string;
      }
    | { readonly no_estimate: true; readonly basis: string };
  /** It names the program itself, or all of it. */
  readonly aside?: boolean;
  // Why it is true and can give little back.
  readonly minor?: string;
  readonly accesses?: readonly Access[];
  readonly worlds?: readonly World[];
  readonly source?: { readonly file: string; readonly lines: readonly ExcerptLine[] };
  readonly evidence: readonly {
    readonly kind: string;
    readonly text: string;
    readonly share?: number;
  }[];
  readonly fix: {
    readonly kind: string;
    readonly steps?: readonly string[];
    readonly diff?: string;
    readonly caveats?: readonly string[];
    readonly licence?: string;
  };
  readonly next?: string;
  readonly see?: readonly string[];
  readonly links?: readonly string[];
  readonly trials?: readonly Trial[];
}

export type Point = components["schemas"]["Point"];
type Listed = components["schemas"]["Findings"]["findings"][number];

// Kept is a finding of a service with its history, as the server keeps it.
export type Kept = Omit<Listed, "finding"> & { readonly finding: Finding };

// kept takes the findings of an answer: the API's description leaves to
// finding.schema.json what is in them.
export function kept(answer: components["schemas"]["Findings"]): readonly Kept[] {
  return answer.findings as unknown as readonly Kept[];
}

// mainShare is what a finding is ranked and printed by.
export function mainShare(f: Finding): number {
  return f.share.inclusive ?? f.share.exclusive ?? 0;
}

// coresOf are the cores that a finding kept busy at the last look.
export function coresOf(k: Kept): number {
  return k.active ? (k.history.at(-1)?.cores ?? 0) : 0;
}

// coresBack is the range of cores that a fix could give back; the server ranks by what is
// likely of it, or by a quarter of the share. Undefined where there is no estimate.
export function coresBack(k: Kept): { low: number; high: number } | undefined {
  const share = mainShare(k.finding);
  const gain = k.finding.gain;
  if (!gain || gain.no_estimate || share <= 0) return undefined;
  const cores = coresOf(k) / share;
  return { low: cores * gain.low, high: cores * gain.high };
}

// savings are the cores that fixes of all of the findings could give back: of a service,
// at most what the service itself took in the time that was analysed.
export function savings(list: readonly Kept[]): { low: number; high: number } {
  const services = new Map<string, { low: number; high: number; all: number }>();
  for (const k of list) {
    const back = coresBack(k);
    if (!back) continue;
    const s = services.get(k.service) ?? { low: 0, high: 0, all: 0 };
    services.set(k.service, {
      low: s.low + Math.max(0, back.low),
      high: s.high + Math.max(0, back.high),
      all: Math.max(s.all, coresOf(k) / mainShare(k.finding)),
    });
  }
  let [low, high] = [0, 0];
  for (const s of services.values()) {
    low += Math.min(s.low, s.all);
    high += Math.min(s.high, s.all);
  }
  return { low, high };
}

// effect says whether a trial's interval leaves 1 out.
export function effect(s: Interval): "faster" | "slower" | "same" {
  if (s.low > 1) return "faster";
  return s.high < 1 ? "slower" : "same";
}
