// useAnswer is how a view asks: the value before stays while the next one is on its
// way, so that nothing flickers, and a question that nobody wants any more is given up.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { address } from "../state/navigation";
import { generation } from "../state/moment";
import type { Parameters } from "../state/address";
import { whenPassed } from "./again";
import { addressOf, answered, ask, lastAnswer, type Answer } from "./client";
import { asApiError, CANCELLED, passing, type ApiError } from "./error";
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
  readonly key: string; // of the attempt that was answered, or failed
  readonly question: string;
  readonly failures: number; // of that question, in a row
  readonly value?: T;
  readonly error?: ApiError;
}

// A null for parameters asks nothing. A path in the form of the API's description,
// /api/v1/labels/{dimension}, has its parts filled in from parameters.
export function useAnswer<P extends keyof paths>(
  path: P,
  parameters: Parameters | null,
): Asked<Answer<P>> {
  return useQuestion<Answer<P>>(parameters === null ? "" : questionOf(path, parameters));
}

// questionOf is the address of a question about the project of the page.
export function questionOf(path: string, parameters: Parameters): string {
  const { project } = address.value;
  const rest: Parameters = { ...parameters };
  if (project !== "") rest.project = project;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  return addressOf(filled, rest);
}

// useQuestion is useAnswer for an address, and for other forms than JSON. read must be
// the same function each time. An empty address asks nothing.
export function useQuestion<T>(url: string, read?: (r: Response) => Promise<T>): Asked<T> {
  const [held, setHeld] = useState<Held<T>>(() => {
    const value = lastAnswer(url) as T | undefined;
    return { key: "", question: "", failures: 0, ...(value !== undefined && { value }) };
  });
  const [attempt, setAttempt] = useState(0);
  const stop = useRef<() => void>(() => undefined);
  const question = url === "" ? "" : `${generation.value} ${url}`;
  const key = url === "" ? "" : `${attempt} ${question}`;
  // What was answered before is shown at once, and not a frame later.
  const known = key !== "" && held.key !== key ? (answered(url) as T | undefined) : undefined;
  useEffect(() => {
    if (key === "") return;
    let live = true;
    const q = ask<T>(url, read);
    const end = (next: { value: T } | { error: ApiError }): void => {
      if (!live) return;
      live = false;
      setHeld((before) => {
        if ("value" in next) return { key, question, failures: 0, ...next };
        const failures = before.question === question ? before.failures + 1 : 1;
        return { ...before, key, question, failures, ...next };
      });
    };
    q.answer.then(
      (value) => {
        end({ value });
      },
      (e: unknown) => {
        end({ error: asApiError(e) });
      },
    );
    // Others may wait for the same answer: this one stops waiting all the same.
    stop.current = () => {
      end({ error: CANCELLED });
      q.giveUp();
    };
    return () => {
      live = false;
      q.giveUp();
    };
  }, [key, url, read]);
  const cancel = useCallback(() => {
    stop.current();
  }, []);
  const retry = useCallback(() => {
    setAttempt((n) => n + 1);
  }, []);
  const { error, failures } = held;
  const failed = held.key === key && error && passing(error) ? error : undefined;
  useEffect(
    () => (failed ? whenPassed(failed, failures, retry) : undefined),
    [failed, failures, retry],
  );
  if (known !== undefined) {
    return { value: known, stale: false, busy: false, error: undefined, cancel, retry };
  }
  const busy = held.key !== key;
  // What is asked again by itself goes on to say why, and does not flicker.
  const stays = !busy || (held.question === question && error !== undefined && passing(error));
  return {
    value: url === "" ? undefined : held.value,
    stale: busy || error !== undefined,
    busy,
    error: stays ? error : undefined,
    cancel,
    retry,
  };
}
