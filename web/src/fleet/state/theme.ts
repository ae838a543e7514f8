// Light or dark: what the link says, else what the reader chose before, else what the
// system says.

import { effect, signal, type ReadonlySignal } from "@preact/signals";
import { applyTheme, systemTheme } from "../../draw/theme";
import type { Colors } from "../../draw/painter";
import type { Theme } from "../../draw/palette";
import { address, adjust } from "./navigation";

const CHOSEN = "whyhot.theme";

function chosen(): Theme {
  const said = address.value.theme || localStorage.getItem(CHOSEN);
  return said === "light" || said === "dark" ? said : systemTheme();
}

const current = signal<Theme>(chosen());
const table = signal<Colors>(applyTheme(current.peek()));

export const theme: ReadonlySignal<Theme> = current;
// colors are what a canvas is painted with.
export const colors: ReadonlySignal<Colors> = table;

effect(() => {
  current.value = chosen();
});
effect(() => {
  table.value = applyTheme(current.value);
});

export function switchTheme(): void {
  const next: Theme = current.peek() === "dark" ? "light" : "dark";
  localStorage.setItem(CHOSEN, next);
  current.value = next;
  // A link that says which theme would win over the button.
  if (address.peek().theme !== "") adjust({ theme: next });
}

window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  current.value = chosen();
});
