// Where the page is, as a signal, and the ways to go elsewhere. Back and Forward are
// the browser's.

import { signal, type ReadonlySignal } from "@preact/signals";
import { formatAddress, parseAddress, type Address } from "./address";

const current = signal(here());

export const address: ReadonlySignal<Address> = current;

// go makes an entry in the history: for what a user would want Back to undo.
export function go(change: Partial<Address>): void {
  move(change, true);
}

// adjust replaces the entry: for what changes with each key or pixel.
export function adjust(change: Partial<Address>): void {
  move(change, false);
}

// own changes what only one view knows; "" takes a name away.
export function ownChange(names: Readonly<Record<string, string>>): Partial<Address> {
  const own = { ...current.peek().own, ...names };
  return { own: Object.fromEntries(Object.entries(own).filter(([, v]) => v !== "")) };
}

// linkTo is the address of a change, for an <a>: it opens in a new tab, too.
export function linkTo(change: Partial<Address>): string {
  return formatAddress({ ...current.value, ...change });
}

function move(change: Partial<Address>, entry: boolean): void {
  const next = { ...current.peek(), ...change };
  const text = formatAddress(next);
  if (text === formatAddress(current.peek())) return;
  if (entry) history.pushState(null, "", text);
  else history.replaceState(null, "", text);
  current.value = next;
}

function here(): Address {
  return parseAddress(location.pathname, location.search);
}

window.addEventListener("popstate", () => {
  current.value = here();
});
