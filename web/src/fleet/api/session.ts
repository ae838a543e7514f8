// Who is signed in with this browser. The server keeps that in a cookie that no script reads:
// the page knows a name, and never a token.

import { signal, type ReadonlySignal } from "@preact/signals";
import { another, request, type Answer } from "./client";
import { asApiError, type ApiError } from "./error";

export type Session = Answer<"/api/v1/session">;

const PATH = "/api/v1/session";
const known = signal<Session>({ closed: false });

export const session: ReadonlySignal<Session> = known;

async function read(response: Response): Promise<void> {
  known.value = (await response.json()) as Session;
}

// lookWho asks the server. Where it does not answer, what was known stays: other questions say
// what is wrong.
export async function lookWho(): Promise<void> {
  try {
    await read(await request(PATH));
  } catch {
    // See above.
  }
}

// signIn gives the token to the server once. It gives why that failed.
export async function signIn(token: string): Promise<ApiError | null> {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    await read(await request(PATH, { method: "POST", headers }));
    another();
    return null;
  } catch (e) {
    return asApiError(e);
  }
}

// signOut ends the session here and on the server. It gives why that failed.
export async function signOut(): Promise<ApiError | null> {
  try {
    await read(await request(`${PATH}/end`, { method: "POST" }));
    another();
    return null;
  } catch (e) {
    return asApiError(e);
  }
}

// loginAddress leads to the identity provider, and back to what is shown now.
export function loginAddress(): string {
  const to = location.pathname + location.search;
  return `/auth/login?${new URLSearchParams({ to }).toString()}`;
}

// adopt signs in with a token that an earlier version of the page left in this browser, and
// removes it there.
export async function adopt(): Promise<void> {
  const LEFT = "whyhot.token";
  const token = localStorage.getItem(LEFT);
  if (token === null) return;
  const failed = await signIn(token);
  // One that the server does not take is of no use; one that it could not be asked about may be.
  if (failed === null || failed.status === 401) localStorage.removeItem(LEFT);
}
