// Colours of frames. The palette is shared with the SVG report; every origin is
// one hue, and origins differ in lightness and saturation too, so that they
// stay apart without colour vision.

import palette from "../../../internal/profile/origin/palette.json";
import { basename } from "../data/measure";
import type { Functions } from "../data/profile";

export type Theme = "light" | "dark";

// An origin's colour has three hues, chosen by the binary or file, and three
// lightnesses, chosen by the function; internal/profile/origin has the same.
const STEPS = 3;
const HUE_STEP = 10; // degrees
const LIGHT_STEP = 3; // percent
const SHADES = STEPS * STEPS;

export interface Legend {
  readonly label: string;
  readonly color: string;
}

// colorTable holds one colour for each origin and shade.
export function colorTable(theme: Theme): readonly string[] {
  return palette.flatMap((entry) => {
    const [saturation, lightness] = (theme === "dark" ? entry.dark : entry.light) as [
      number,
      number,
    ];
    return Array.from({ length: SHADES }, (_, shade) => {
      const hue = entry.hue + HUE_STEP * (Math.floor(shade / STEPS) - 1);
      const light = lightness + LIGHT_STEP * ((shade % STEPS) - 1);
      return `hsl(${hue} ${saturation}% ${light}%)`;
    });
  });
}

export function colorIndices(functions: Functions): Uint8Array {
  const indices = new Uint8Array(functions.count);
  for (let f = 0; f < functions.count; f++) {
    // Interpreted code has no binary of its own: its files stand apart instead.
    const binary = functions.libraries[functions.library[f]] || functions.files[functions.file[f]];
    const byBinary = hash(basename(binary)) % STEPS;
    const byName = hash(functions.name[f]) % STEPS;
    indices[f] = functions.origin[f] * SHADES + byBinary * STEPS + byName;
  }
  return indices;
}

export function originColor(theme: Theme, origin: number): string {
  return colorTable(theme)[origin * SHADES + Math.floor(SHADES / 2)];
}

export function originLabel(origin: number): string {
  return palette[origin]?.label ?? "unknown";
}

// changeTable are the colours of what became less (blue), did not change, and became more
// (orange), which people of any colour vision tell apart.
export function changeTable(theme: Theme, steps: number): readonly string[] {
  const [from, to] = theme === "dark" ? [30, 52] : [84, 58];
  return Array.from({ length: 2 * steps + 1 }, (_, i) => {
    const change = i - steps;
    const light = from + ((to - from) * Math.abs(change)) / steps;
    if (change === 0) return `hsl(40 6% ${theme === "dark" ? 27 : 88}%)`;
    return change < 0 ? `hsl(210 68% ${light}%)` : `hsl(26 88% ${light}%)`;
  });
}

export const ORIGINS = palette.length;

// FNV-1a, 32 bits.
function hash(s: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < s.length; i++) {
    h = Math.imul(h ^ s.charCodeAt(i), 0x01000193);
  }
  return h >>> 0;
}
