// Questions to the server. One request is made for one address however many ask, what
// was answered is kept, and nobody's question left means that it is given up.

import { signal, type ReadonlySignal } from "@preact/signals";
import type { Parameters } from "../state/address";
import { absolute, renew, setServerTime } from "../state/moment";
import { reached } from "./again";
import { ApiError, asApiError, refused, unreachable, WORDLESS } from "./error";
import { heard } from "./missing";
import { doubt } from "./newer";
import type { paths } from "./schema";

// The answers of the operations that are asked with GET and give JSON, by path.
export type Answer<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer T } } } };
}
  ? T
  : never;

const barred = signal<ApiError | null>(null);

// locked is the server's last word on who may ask, null where it answers.
export const locked: ReadonlySignal<ApiError | null> = barred;

// another is called when somebody else asks from now on, who may be of another project.
export function another(): void {
  last.clear();
  refresh();
  barred.value = null;
}

const TIMES = /^(?:before\.|after\.)?(?:from|to)$/;

// addressOf has times that are relative made absolute: all answers of the page are of
// the same "now" (state/moment.ts).
export function addressOf(path: string, parameters: Parameters): string {
  const p = new URLSearchParams();
  for (const name of Object.keys(parameters).sort()) {
    const value = parameters[name];
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const one of value as readonly string[]) p.append(name, one);
    else p.set(name, TIMES.test(name) ? absolute(String(value)) : String(value));
  }
  const query = p.toString();
  return query === "" ? path : `${path}?${query}`;
}

// request sends; the browser adds the session. An answer that is none is an ApiError.
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (e) {
    if (init.signal?.aborted) throw e;
    throw unreachable();
  }
  // Who was away may come back as another: a newer server has a newer page.
  if (reached()) doubt();
  setServerTime(Date.parse(response.headers.get("Date") ?? ""));
  if (response.ok) {
    heard(url, response.headers.get("Whyhot-Missing"));
    return response;
  }
  const error = await refused(response);
  if (error.status === 401) barred.value = error;
  if (error.status === 404 && error.kind === WORDLESS) doubt();
  throw error;
}

// A server that is busy says when to come again; nobody has to be told if that is soon.
const PATIENCE = 3; // times
const SOON = 5; // seconds

async function patiently(url: string, init: RequestInit): Promise<Response> {
  for (let time = 1; ; time++) {
    try {
      return await request(url, init);
    } catch (e) {
      const again = e instanceof ApiError ? e.retryAfter : 0;
      if (again <= 0 || again > SOON || time >= PATIENCE || init.signal?.aborted) throw e;
      await pause(again * 1000 * (0.8 + 0.4 * Math.random()), init.signal);
    }
  }
}

function pause(ms: number, stop: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(new DOMException("", "AbortError"));
    };
    const timer = setTimeout(() => {
      stop?.removeEventListener("abort", end);
      resolve();
    }, ms);
    stop?.addEventListener("abort", end, { once: true });
  });
}

interface Kept {
  readonly promise: Promise<unknown>;
  readonly stop: AbortController;
  readonly at: number;
  value?: unknown;
  bytes: number; // 0 for what is small
  waiting: number;
  done: boolean;
}

const KEEP = 64; // answers
const KEEP_BYTES = 64 << 20; // of those that are large
const FRESH = 15_000; // ms, for questions without times, whose answer may change
const TIMED = /[?&]from=/;
const kept = new Map<string, Kept>();
const last = new Map<string, unknown>(); // answers of those, also of long ago
const waitingFor = signal(0);

// pending is how many questions are on their way.
export const pending: ReadonlySignal<number> = waitingFor;

function usable(one: Kept | undefined, url: string): one is Kept {
  if (!one) return false;
  return !one.done || TIMED.test(url) || Date.now() - one.at <= FRESH;
}

// Question is one that somebody waits for; give it up when that ends.
export interface Question<T> {
  readonly answer: Promise<T>;
  giveUp: () => void;
}

// ask gives what was answered before if it still holds. read takes other forms than JSON,
// accept names one that the server would not send by itself.
export function ask<T>(
  url: string,
  read: (r: Response) => Promise<T> = async (r) => (await r.json()) as T,
  accept = "",
): Question<T> {
  const key = accept === "" ? url : `${accept} ${url}`;
  let one = kept.get(key);
  if (!usable(one, url)) {
    const stop = new AbortController();
    const promise = patiently(url, {
      signal: stop.signal,
      headers: accept === "" ? {} : { Accept: accept },
    })
      .then(read)
      .catch((e: unknown) => {
        const error = asApiError(e);
        if (error.kind === "unreadable") doubt();
        throw error;
      });
    const made: Kept = { promise, stop, at: Date.now(), bytes: 0, waiting: 0, done: false };
    one = made;
    waitingFor.value++;
    promise.then(
      (value) => {
        made.done = true;
        made.value = value;
        if (!TIMED.test(url)) last.set(key, value);
        if (value instanceof ArrayBuffer) made.bytes = value.byteLength;
        forgetOldest();
        waitingFor.value--;
      },
      () => {
        if (kept.get(key) === made) kept.delete(key);
        waitingFor.value--;
      },
    );
  }
  kept.delete(key); // the last in a Map is the one used last
  kept.set(key, one);
  forgetOldest();
  const mine = one;
  mine.waiting++;
  let given = false;
  return {
    answer: mine.promise as Promise<T>,
    giveUp: () => {
      if (given) return;
      given = true;
      mine.waiting--;
      if (mine.waiting > 0 || mine.done) return;
      if (kept.get(key) === mine) kept.delete(key);
      mine.stop.abort();
    },
  };
}

function forgetOldest(): void {
  let bytes = 0;
  for (const one of kept.values()) bytes += one.bytes;
  for (const [key, oldest] of kept) {
    if (kept.size <= KEEP && bytes <= KEEP_BYTES) return;
    bytes -= oldest.bytes;
    kept.delete(key);
  }
}

// forget drops an answer that turned out to be of no use: it is asked for again.
export function forget(url: string, accept = ""): void {
  kept.delete(accept === "" ? url : `${accept} ${url}`);
}

// answered is what ask would give without asking.
export function answered(url: string): unknown {
  const one = kept.get(url);
  return usable(one, url) && one.done ? one.value : undefined;
}

// lastAnswer is what was answered last to a question without times. It is shown until the next
// answer is there: prices, findings and the like seldom change.
export function lastAnswer(url: string): unknown {
  return last.get(url);
}

// cancelAll gives up whatever is on its way.
export function cancelAll(): void {
  for (const [url, one] of kept) {
    if (one.done) continue;
    kept.delete(url);
    one.stop.abort();
  }
}

// refresh has every question asked again: after data came, or a token changed.
export function refresh(): void {
  kept.clear();
  renew();
}
