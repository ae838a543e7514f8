// The keyboard: which key means what, in one table that the help shows too.

import { useEffect } from "preact/hooks";
import { cancelAll, pending, refresh } from "../api/client";
import { commands, type Commands } from "../state/commands";
import { adjust, address, go } from "../state/navigation";
import { step } from "../state/search";
import { switchTheme } from "../state/theme";
import { REGISTRY } from "../views/registry";
import { openHelp } from "./help";

export interface KeyHelp {
  readonly keys: string;
  readonly what: string;
}

export const KEY_HELP: readonly KeyHelp[] = [
  { keys: "/", what: "search names, binaries and files (regular expression)" },
  { keys: "n N", what: "next and previous hit" },
  { keys: "click", what: "select a function or frame" },
  { keys: "double-click", what: "open its callers and callees" },
  { keys: "Enter", what: "the same; in a graph it zooms to the frame" },
  { keys: "ctrl-click, g", what: "open its call graph" },
  { keys: "right-click, ≣", what: "what can be done with it (the menu key, or Shift with F10)" },
  { keys: "x l", what: "callers and callees, lines of the function" },
  { keys: "w a s d", what: "move the view" },
  { keys: "↑ ↓ ← →", what: "go from frame to frame, or row to row" },
  { keys: "+ −, ctrl-wheel", what: "zoom" },
  { keys: "0, Esc", what: "back to the whole; Esc also stops what takes long" },
  { keys: "f", what: "root on top or at the bottom" },
  { keys: "c", what: "copy the whole name" },
  { keys: "r", what: "ask again, up to now" },
  { keys: "t", what: "dark or light" },
  { keys: "?", what: "this help" },
];

type Action = (c: Commands) => (() => void) | undefined;

const ofFunction = (view: "sandwich" | "callgraph" | "lines"): Action => {
  return () =>
    address.peek().fn === 0
      ? undefined
      : () => {
          go({ view });
        };
};

function reset(c: Commands): void {
  if (c.reset) c.reset();
  else if (address.peek().query !== "") adjust({ query: "" });
}

const ACTIONS: Readonly<Record<string, Action>> = {
  "/": () => focusSearch,
  n: () => () => {
    step(1);
  },
  N: () => () => {
    step(-1);
  },
  "0": (c) => () => {
    reset(c);
  },
  Escape: (c) => () => {
    if (pending.peek() > 0) cancelAll();
    else reset(c);
  },
  "+": (c) => c.zoomIn,
  "=": (c) => c.zoomIn,
  "-": (c) => c.zoomOut,
  w: (c) => c.pan && (() => c.pan?.(0, -1)),
  s: (c) => c.pan && (() => c.pan?.(0, 1)),
  a: (c) => c.pan && (() => c.pan?.(-1, 0)),
  d: (c) => c.pan && (() => c.pan?.(1, 0)),
  ArrowUp: (c) => c.arrow && (() => c.arrow?.("up")),
  ArrowDown: (c) => c.arrow && (() => c.arrow?.("down")),
  ArrowLeft: (c) => c.arrow && (() => c.arrow?.("left")),
  ArrowRight: (c) => c.arrow && (() => c.arrow?.("right")),
  Enter: (c) => c.enter,
  x: ofFunction("sandwich"),
  g: ofFunction("callgraph"),
  l: ofFunction("lines"),
  f: (c) => c.flip,
  c: (c) => c.copy,
  r: () => refresh,
  t: () => switchTheme,
  "?": () => openHelp,
};

// Keys that a button, a link or the page itself has a use for.
const OF_THE_PAGE = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Enter"]);

function onKey(e: KeyboardEvent): void {
  const target = e.target as HTMLElement;
  if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented) return;
  if (target.closest("input, textarea, select, dialog, [role=menu]")) return;
  const free = target.matches("canvas, body, main");
  if (OF_THE_PAGE.has(e.key) && !free) return;
  const view = REGISTRY.find((v) => v.key === e.key);
  const action = view
    ? () => {
        go({ view: view.name });
      }
    : ACTIONS[e.key]?.(commands.peek());
  if (!action) return;
  e.preventDefault();
  action();
}

export function useKeys(): void {
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("keydown", onKey);
    };
  }, []);
}

export const SEARCH_BOX = "search";

function focusSearch(): void {
  const box = document.getElementById(SEARCH_BOX);
  if (!(box instanceof HTMLInputElement)) return;
  box.focus();
  box.select();
}
