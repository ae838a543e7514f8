// The keyboard: which key means what, in one table that the help shows too.

import type { ViewName } from "./hash";

export interface Commands {
  view(name: ViewName): void;
  search(): void;
  reset(): void;
  zoomIn(): void;
  zoomOut(): void;
  pan(columns: number, rows: number): void;
  arrow(key: "up" | "down" | "left" | "right"): void;
  enter(): void;
  sandwich(): void;
  flip(): void;
  copy(): void;
  theme(): void;
  help(): void;
}

export interface KeyHelp {
  readonly keys: string;
  readonly what: string;
}

export const KEY_HELP: readonly KeyHelp[] = [
  { keys: "1 2 3 4", what: "table, flame graph, reverse, callers & callees" },
  { keys: "/", what: "search names, binaries and files (regular expression)" },
  { keys: "click, Enter", what: "zoom to a frame" },
  { keys: "ctrl-click, x", what: "callers & callees of a function" },
  { keys: "w a s d", what: "move the view" },
  { keys: "↑ ↓ ← →", what: "go from frame to frame, or row to row" },
  { keys: "+ −, ctrl-wheel", what: "zoom" },
  { keys: "0, Esc", what: "back to the whole" },
  { keys: "f", what: "root on top or at the bottom" },
  { keys: "c", what: "copy the whole name" },
  { keys: "t", what: "dark or light" },
  { keys: "?", what: "this help" },
];

type Action = (c: Commands) => void;

const ACTIONS: Record<string, Action> = {
  "1": (c) => {
    c.view("top");
  },
  "2": (c) => {
    c.view("flame");
  },
  "3": (c) => {
    c.view("reverse");
  },
  "4": (c) => {
    c.view("sandwich");
  },
  "/": (c) => {
    c.search();
  },
  "0": (c) => {
    c.reset();
  },
  Escape: (c) => {
    c.reset();
  },
  "+": (c) => {
    c.zoomIn();
  },
  "=": (c) => {
    c.zoomIn();
  },
  "-": (c) => {
    c.zoomOut();
  },
  w: (c) => {
    c.pan(0, -1);
  },
  s: (c) => {
    c.pan(0, 1);
  },
  a: (c) => {
    c.pan(-1, 0);
  },
  d: (c) => {
    c.pan(1, 0);
  },
  ArrowUp: (c) => {
    c.arrow("up");
  },
  ArrowDown: (c) => {
    c.arrow("down");
  },
  ArrowLeft: (c) => {
    c.arrow("left");
  },
  ArrowRight: (c) => {
    c.arrow("right");
  },
  Enter: (c) => {
    c.enter();
  },
  x: (c) => {
    c.sandwich();
  },
  f: (c) => {
    c.flip();
  },
  c: (c) => {
    c.copy();
  },
  t: (c) => {
    c.theme();
  },
  "?": (c) => {
    c.help();
  },
};

// Keys that a page or a button has a use for itself; they act on the graph only
// while it has the focus.
const NEEDS_FOCUS = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter", "Escape"]);

export function listenToKeys(app: HTMLElement, wholePage: boolean, commands: Commands): void {
  document.addEventListener("keydown", (e) => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
    if (target.closest("input, textarea, select, dialog")) return;
    const inGraph = target.matches("canvas, .scroller");
    const free = wholePage && (target === document.body || e.key === "Escape");
    if (NEEDS_FOCUS.has(e.key) && !inGraph && !free) return;
    if (!wholePage && !app.contains(target) && e.key !== "/" && e.key !== "?") return;
    const action = ACTIONS[e.key];
    if (!action) return;
    e.preventDefault();
    action(commands);
  });
}
