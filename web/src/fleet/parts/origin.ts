// Whose code a function is, by the number that palettes and swatches go by.

import palette from "../../../../internal/profile/origin/palette.json";
import type { components } from "../api/schema";

export type Origin = components["schemas"]["Origin"];

export const ORIGINS: readonly string[] = palette.map((p) => p.name);

export function originTitle(o: string): string {
  return palette.find((p) => p.name === o)?.label ?? o;
}
