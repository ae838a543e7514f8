// The state that a link carries, in the part of the address behind "#".

import { formatPair, parsePair } from "../format/pair";
import type { Range } from "../graph/inview";

export type ViewName = "top" | "flame" | "reverse" | "sandwich";

export interface State {
  view: ViewName;
  query: string;
  fn: string; // function of the sandwich: name@library
  finding: string; // id of the finding whose frames are shown
  rootBelow: boolean;
  theme: "" | "light" | "dark";
  range: Range;
  selected: { level: number; at: number } | null; // at: a fraction of the whole width
}

export function defaultState(): State {
  return {
    view: "flame",
    query: "",
    fn: "",
    finding: "",
    rootBelow: false,
    theme: "",
    range: { from: 0, to: 1 },
    selected: null,
  };
}

const VIEWS: readonly ViewName[] = ["top", "flame", "reverse", "sandwich"];

export function parseHash(hash: string, fallback: State): State {
  const p = new URLSearchParams(hash.replace(/^#/, ""));
  const view = p.get("view") as ViewName | null;
  const theme = p.get("theme");
  const range = parsePair(p.get("range"));
  const select = parsePair(p.get("select"));
  return {
    view: view !== null && VIEWS.includes(view) ? view : fallback.view,
    query: p.get("q") ?? "",
    fn: p.get("fn") ?? "",
    finding: p.get("finding") ?? "",
    rootBelow: p.has("root") ? p.get("root") === "below" : fallback.rootBelow,
    theme: theme === "light" || theme === "dark" ? theme : "",
    range:
      range && range[1] <= 1 && range[0] < range[1]
        ? { from: range[0], to: range[1] }
        : { from: 0, to: 1 },
    selected: select && { level: select[0], at: select[1] },
  };
}

export function formatHash(s: State): string {
  const p = new URLSearchParams();
  p.set("view", s.view);
  if (s.query) p.set("q", s.query);
  if (s.fn && s.view === "sandwich") p.set("fn", s.fn);
  if (s.finding) p.set("finding", s.finding);
  p.set("root", s.rootBelow ? "below" : "top");
  if (s.theme) p.set("theme", s.theme);
  if (s.range.from > 0 || s.range.to < 1) p.set("range", formatPair(s.range.from, s.range.to));
  if (s.selected) p.set("select", formatPair(s.selected.level, s.selected.at));
  return `#${p.toString().replaceAll("%2C", ",")}`;
}
