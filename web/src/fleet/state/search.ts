// What is searched, for every view: lower case matches any case, as in most editors.
// A view says what it found (found), and goes from hit to hit when it is told to (onStep).

import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { address } from "./navigation";

export interface Search {
  readonly query: string; // "" searches nothing
  readonly expression: RegExp | null; // null where nothing is searched, or the pattern is wrong
  readonly error: string;
  readonly pattern: string; // the same for the server (RE2)
}

// Of its own, so that other changes of the address are no new search, which would begin at
// the first hit again.
const asked = computed(() => address.value.query);

export const search: ReadonlySignal<Search> = computed(() => {
  const query = asked.value;
  if (query === "") return { query, expression: null, error: "", pattern: "" };
  const anyCase = query === query.toLowerCase();
  try {
    const expression = new RegExp(query, anyCase ? "i" : "");
    return { query, expression, error: "", pattern: anyCase ? `(?i)${query}` : query };
  } catch (e) {
    const text = e instanceof Error ? e.message : String(e);
    // The pattern stands before it already: /(/i: Unterminated group
    const error = text.slice(text.lastIndexOf("/") < 0 ? 0 : text.lastIndexOf(": ") + 2);
    return { query, expression: null, error, pattern: "" };
  }
});

// Searched is what of a function is searched; the API's Function has all of it.
export interface Searched {
  readonly name: string;
  readonly system?: string;
  readonly binary?: string;
  readonly file?: string;
}

export function matches(expression: RegExp, f: Searched): boolean {
  return [f.name, f.system, f.binary, f.file].some(
    (text) => text !== undefined && text !== "" && expression.test(text),
  );
}

// Found is what the view in front says of the search, and where in the hits it stands.
export interface Found {
  readonly text: string; // "12.3% in 5 functions"
  readonly at?: number; // of the hit in front, from 1
  readonly of?: number;
}

export const found = signal<Found | null>(null);

type Step = (by: 1 | -1) => void;
let listener: Step | null = null;

// onStep sets what next and previous do; the function that it gives ends that.
export function onStep(step: Step): () => void {
  listener = step;
  return () => {
    if (listener === step) listener = null;
  };
}

export function step(by: 1 | -1): void {
  listener?.(by);
}
