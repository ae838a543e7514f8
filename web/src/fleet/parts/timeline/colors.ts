// Colours of the lines: the eight of M. Okabe and K. Ito ("Color universal design",
// 2008), which are told apart without colour vision, black and yellow changed for a
// lighter ground, two greys behind them, and a hatched grey for all others.

const LIGHT = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#b8a800",
  "#5b5b9e",
  "#8a8a8a",
  "#b9b4aa",
] as const;

const OTHERS = { light: "#d8d3c9", dark: "#4a4d52" } as const;

export function lineColor(index: number, others: boolean, theme: "light" | "dark"): string {
  return others ? OTHERS[theme] : LIGHT[index % LIGHT.length];
}
