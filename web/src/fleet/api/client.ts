// Questions to the server. One request is made for one address however many ask, what
// was answered is kept, and nobody's question left means that it is given up.

import type { paths } from "./schema";
import type { Parameters } from "../state/address";

// The answers of the operations that are asked with GET and give JSON, by path.
export type Answer<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer T } } } };
}
  ? T
  : never;

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0 when the server was not reached
    readonly kind: string,
    detail: string,
    readonly help: string,
    readonly retryAfter: number, // seconds, 0 for not
  ) {
    super(detail);
  }
}

const TOKEN = "whyhot.token";

export function token(): string {
  return localStorage.getItem(TOKEN) ?? "";
}

export function setToken(value: string): void {
  if (value === "") localStorage.removeItem(TOKEN);
  else localStorage.setItem(TOKEN, value);
  kept.clear();
}

export function addressOf(path: string, parameters: Parameters): string {
  const p = new URLSearchParams();
  for (const name of Object.keys(parameters).sort()) {
    const value = parameters[name];
    if (value === undefined) continue;
    if (Array.isArray(value)) for (const one of value as readonly string[]) p.append(name, one);
    else p.set(name, String(value));
  }
  const query = p.toString();
  return query === "" ? path : `${path}?${query}`;
}

// request sends with the token; an answer that is none is an ApiError.
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token() !== "") headers.set("Authorization", `Bearer ${token()}`);
  let response: Response;
  try {
    response = await fetch(url, { ...init, headers });
  } catch (e) {
    if (init.signal?.aborted) throw e;
    throw new ApiError(0, "unreachable", "the server does not answer", "Is it still running?", 0);
  }
  if (response.ok) return response;
  let body: { error?: string; detail?: string; help?: string } = {};
  try {
    body = (await response.json()) as typeof body;
  } catch {
    // A proxy's page of HTML says nothing to a reader.
  }
  throw new ApiError(
    response.status,
    body.error ?? "failed",
    body.detail ?? `the server answered with status ${response.status}`,
    body.help ?? "",
    Number(response.headers.get("Retry-After") ?? 0),
  );
}

interface Kept {
  readonly promise: Promise<unknown>;
  readonly stop: AbortController;
  readonly at: number;
  waiting: number;
  done: boolean;
}

const KEEP = 64; // answers
const FRESH = 15_000; // ms, for questions that end now
const kept = new Map<string, Kept>();

// Question is one that somebody waits for; give it up when that ends.
export interface Question<T> {
  readonly answer: Promise<T>;
  giveUp: () => void;
}

// ask gives what was answered before if it still holds. read takes other forms than JSON.
export function ask<T>(
  url: string,
  read: (r: Response) => Promise<T> = async (r) => (await r.json()) as T,
): Question<T> {
  let one = kept.get(url);
  if (!one || (one.done && Date.now() - one.at > FRESH)) {
    const stop = new AbortController();
    const promise = request(url, { signal: stop.signal }).then(read);
    const made: Kept = { promise, stop, at: Date.now(), waiting: 0, done: false };
    one = made;
    promise.then(
      () => {
        made.done = true;
      },
      () => {
        if (kept.get(url) === made) kept.delete(url);
      },
    );
  }
  kept.delete(url); // the last in a Map is the one used last
  kept.set(url, one);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEEP) break;
    kept.delete(oldest);
  }
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
      if (kept.get(url) === mine) kept.delete(url);
      mine.stop.abort();
    },
  };
}

// forget has every question asked again: after data came, or a token changed.
export function forget(): void {
  kept.clear();
}
