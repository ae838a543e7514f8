// What failed for the moment is asked again by itself, ever less often: a server may have been
// started again, or have had too much to do. Who hears from it first has the others ask at once.

import type { ApiError } from "./error";

const LONGEST = 30; // seconds

const unreached = new Set<() => void>();
let away = false; // the server, when it was asked last

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
    away = true;
    unreached.add(now);
    window.addEventListener("online", now);
  }
  return end;
}

// reached is called when the server answered, whatever it said; it tells whether it was away
// before.
export function reached(): boolean {
  const was = away;
  away = false;
  for (const now of [...unreached]) now();
  return was;
}
