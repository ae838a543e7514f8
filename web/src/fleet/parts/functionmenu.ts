// What can be done with a function, wherever it is shown.

import { address, go, ownChange } from "../state/navigation";
import { copyText } from "../../dom/dom";
import type { ViewName } from "../state/address";
import { onMenu, type Entry } from "./menu";
import { openOverTime } from "./overtime";

// What of a function the menu needs; the API's Function has all of it.
export interface Subject {
  readonly id: number;
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}

// The flame graphs keep what they focus on and what they hide under these names.
export const FOCUS = "flame.focus";
export const HIDE = "flame.hide";
// The range in view, which means nothing once the graph is another.
export const RANGES = ["flame.range", "flame.select", "reverse.range", "reverse.select"] as const;

// hiddenFunctions are the ids that the address hides.
export function hiddenFunctions(): readonly number[] {
  const text = address.value.own[HIDE] ?? "";
  return text
    .split(",")
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);
}

// focusOn shows only the stacks with a function, from it on; 0 shows all again.
export function focusOn(id: number): void {
  go({ view: graphView(), ...changed({ [FOCUS]: id === 0 ? "" : String(id) }) });
}

export function hide(id: number): void {
  const ids = [...new Set([...hiddenFunctions(), id])];
  go({ view: graphView(), ...changed({ [HIDE]: ids.join(",") }) });
}

export function showAgain(id: number): void {
  go(
    changed({
      [HIDE]: hiddenFunctions()
        .filter((h) => h !== id)
        .join(","),
    }),
  );
}

function changed(names: Readonly<Record<string, string>>): ReturnType<typeof ownChange> {
  return ownChange({ ...Object.fromEntries(RANGES.map((name) => [name, ""])), ...names });
}

function graphView(): ViewName {
  const { view } = address.peek();
  return view === "reverse" ? view : "flame";
}

export function openView(view: ViewName, fn: number): void {
  go({ view, fn });
}

export function functionEntries(f: Subject): Entry[] {
  const view = (name: ViewName) => (): void => {
    openView(name, f.id);
  };
  const source = f.file !== undefined && f.file !== "";
  const at = source ? ` (${lastPart(f.file ?? "")}${f.line ? `:${f.line}` : ""})` : "";
  return [
    { label: "Callers and callees", key: "x", act: view("sandwich") },
    { label: "Call graph", key: "g", act: view("callgraph") },
    { label: source ? `Open source${at}` : "Lines and addresses", key: "l", act: view("lines") },
    {
      label: "Over time",
      act: () => {
        openOverTime(f);
      },
    },
    {
      label: "Focus: only what it calls",
      act: () => {
        focusOn(f.id);
      },
    },
    {
      label: "Hide in flame graphs",
      act: () => {
        hide(f.id);
      },
    },
    {
      label: "Search for it",
      act: () => {
        go({ query: `^${escaped(f.name)}$` });
      },
    },
    {
      label: "Copy name",
      key: "c",
      act: () => {
        void copyText(f.name);
      },
    },
  ];
}

export function onFunctionMenu(e: MouseEvent, f: Subject): void {
  onMenu(e, f.name === "" ? "(no name)" : f.name, functionEntries(f));
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

// escaped has a name match itself in a regular expression.
function escaped(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
