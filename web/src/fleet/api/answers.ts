// useAnswers asks one operation about several things at once, such as the call graphs of
// the functions in view. What is there is given while the rest is on its way.

import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../state/navigation";
import type { Parameters } from "../state/address";
import { addressOf, ask, ApiError, type Answer } from "./client";
import type { paths } from "./schema";

export interface AskedMany<T> {
  readonly values: ReadonlyMap<string, T>; // by the name of the question
  readonly stale: boolean; // some value answers an older question
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  cancel: () => void;
  retry: () => void;
}

interface Held<T> {
  readonly value: T;
  readonly url: string;
}

// The questions have names that stay the same when the rest of the question changes, so
// that the answer to the one before stands until the next one comes.
export function useAnswers<P extends keyof paths>(
  path: P,
  questions: ReadonlyMap<string, Parameters>,
): AskedMany<Answer<P>> {
  const project = address.value.project;
  const urls = new Map<string, string>();
  for (const [name, parameters] of questions)
    urls.set(name, addressOf(path, project === "" ? parameters : { ...parameters, project }));
  const [held, setHeld] = useState<ReadonlyMap<string, Held<Answer<P>>>>(new Map());
  const [failed, setFailed] = useState<{ key: string; error: ApiError }>();
  const [attempt, setAttempt] = useState(0);
  const stop = useRef<() => void>(() => undefined);
  const key = [...urls].map(([name, url]) => `${name} ${url}`).join("\n");

  useEffect(() => {
    let live = true;
    const asked = [...urls].map(([name, url]) => {
      const q = ask<Answer<P>>(url);
      q.answer.then(
        (value) => {
          if (live) setHeld((before) => new Map(before).set(name, { value, url }));
        },
        (e: unknown) => {
          const error =
            e instanceof ApiError ? e : new ApiError(0, "cancelled", "cancelled", "", 0);
          if (live) setFailed({ key, error });
        },
      );
      return q;
    });
    setFailed(undefined);
    stop.current = () => {
      for (const q of asked) q.giveUp();
    };
    return () => {
      live = false;
      stop.current();
    };
  }, [key, attempt]);

  const values = new Map<string, Answer<P>>();
  let waiting = false;
  for (const [name, url] of urls) {
    const one = held.get(name);
    if (one !== undefined) values.set(name, one.value);
    waiting ||= one?.url !== url;
  }
  const error = failed?.key === key ? failed.error : undefined;
  return {
    values,
    stale: waiting && values.size > 0,
    busy: waiting && error === undefined,
    error,
    cancel: () => {
      stop.current();
    },
    retry: () => {
      setAttempt((n) => n + 1);
    },
  };
}
