// What failed for the moment is asked again by itself, ever less often: a server may have been
// started again, or have had too much to do. Who hears from it first has the others ask at once.

import type { ApiError } from "./error";

const LONGEST = 30; // seconds

const unreached = new Set<() => void>();

// whenPassed calls again after a failure, the so manieth in a row from 1 on. What it gives
// stops that.
export function whenPassed(error: ApiError, failures: number, again: () => void): () => void {
  const wait = Math.max(error.retryAfter, Math.min(LONGEST, 2 ** failures));
  const end = (): void => {
    clearTimeout(timer);
    unreached.delete(now);
    window.removeEventListener("online", now);
  };
  const now = (): void => {
    end();
    again();
  };
  // Not all pages of a fleet's people at the same moment.
  const timer = setTimeout(now, 1000 * wait * (0.8 + 0.4 * Math.random()));
  if (error.kind === "unreachable") {
    unreached.add(now);
    window.addEventListener("online", now);
  }
  return end;
}

// reached is called when the server answered, whatever it said; it tells whether somebody
// waited for that.
export function reached(): boolean {
  const waiting = [...unreached];
  for (const now of waiting) now();
  return waiting.length > 0;
}
