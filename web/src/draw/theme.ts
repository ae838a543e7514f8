// Light or dark: the reader's system decides until the button does.

import { colorTable, originColor, ORIGINS, type Theme } from "./palette";
import type { Colors } from "./painter";

export function systemTheme(): Theme {
  return window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function applyTheme(theme: Theme): Colors {
  document.documentElement.dataset.theme = theme;
  for (let o = 0; o < ORIGINS; o++) {
    document.documentElement.style.setProperty(`--origin-${o}`, originColor(theme, o));
  }
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    frames: colorTable(theme),
    background: color("surface"),
    text: color("frame-text"),
    marked: color("mark"),
    markedText: color("mark-text"),
    others: color("line"),
    outline: color("text"),
  };
}
