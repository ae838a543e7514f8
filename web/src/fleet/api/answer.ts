// useAnswer is how a view asks: the value before stays while the next one is on its
// way, so that nothing flickers, and a question that nobody wants any more is given up.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { address } from "../state/navigation";
import type { Parameters } from "../state/address";
import { addressOf, ask, ApiError, type Answer } from "./client";
import type { paths } from "./schema";

export interface Asked<T> {
  readonly value: T | undefined;
  readonly stale: boolean; // value answers an older question
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  cancel: () => void;
  retry: () => void;
}

interface Held<T> {
  readonly url: string;
  readonly value?: T;
  readonly error?: ApiError;
}

// A null for parameters asks nothing. A path in the form of the API's description,
// /api/v1/labels/{dimension}, has its parts filled in from parameters.
export function useAnswer<P extends keyof paths>(
  path: P,
  parameters: Parameters | null,
): Asked<Answer<P>> {
  const project = address.value.project;
  let url = "";
  if (parameters !== null) {
    const rest: Parameters = { ...parameters };
    if (project !== "") rest.project = project;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = rest[name];
      // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
      delete rest[name];
      return encodeURIComponent(String(value));
    });
    url = addressOf(filled, rest);
  }
  return useQuestion<Answer<P>>(url);
}

// useQuestion is useAnswer for an address, and for other forms than JSON. read must be
// the same function each time.
export function useQuestion<T>(url: string, read?: (r: Response) => Promise<T>): Asked<T> {
  const [held, setHeld] = useState<Held<T>>({ url: "" });
  const [attempt, setAttempt] = useState(0);
  const giveUp = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (url === "") return;
    let live = true;
    const q = ask<T>(url, read);
    giveUp.current = q.giveUp;
    q.answer.then(
      (value) => {
        if (live) setHeld({ url, value });
      },
      (e: unknown) => {
        if (!live) return;
        const error =
          e instanceof ApiError
            ? e
            : isAbort(e)
              ? new ApiError(0, "cancelled", "cancelled", "", 0)
              : new ApiError(0, "page", e instanceof Error ? e.message : String(e), "", 0);
        setHeld((before) =>
          before.value === undefined ? { url, error } : { url, value: before.value, error },
        );
      },
    );
    return () => {
      live = false;
      q.giveUp();
    };
  }, [url, attempt, read]);
  const cancel = useCallback(() => {
    giveUp.current();
  }, []);
  const retry = useCallback(() => {
    setAttempt((n) => n + 1);
  }, []);
  const busy = url !== "" && held.url !== url;
  return {
    value: url === "" ? undefined : held.value,
    stale: busy || held.error !== undefined,
    busy,
    error: busy ? undefined : held.error,
    cancel,
    retry,
  };
}

function isAbort(e: unknown): boolean {
  return e instanceof DOMException && e.name === "AbortError";
}
