// useAnswers asks one operation about several things at once, such as the call graphs of
// the functions in view. What is there is given while the rest is on its way.

import { useEffect, useState } from "preact/hooks";
import type { Parameters } from "../state/address";
import { generation } from "../state/moment";
import { questionOf } from "./answer";
import { answered, ask, ApiError, type Answer } from "./client";
import type { paths } from "./schema";

export interface AskedMany<T> {
  readonly values: ReadonlyMap<number, T>; // by the name of the question
  readonly stale: boolean; // some value is of an older question, or not there
  readonly busy: boolean;
  readonly error: ApiError | undefined;
  retry: () => void;
}

interface Held<T> {
  readonly key: string; // of the question that was answered
  readonly value: T;
}

// The questions have names that stay the same when the rest of the question changes, so
// that the answer before stands until the next one comes.
export function useAnswers<P extends keyof paths>(
  path: P,
  questions: ReadonlyMap<number, Parameters>,
): AskedMany<Answer<P>> {
  const [held, setHeld] = useState<ReadonlyMap<number, Held<Answer<P>>>>(new Map());
  const [failed, setFailed] = useState<{ all: string; error: ApiError }>();
  const [attempt, setAttempt] = useState(0);
  const urls = [...questions].map(([name, p]) => ({ name, url: questionOf(path, p) }));
  const keyOf = (url: string): string => `${generation.value} ${attempt} ${url}`;
  const all = urls.map(({ name, url }) => `${name} ${keyOf(url)}`).join("\n");

  useEffect(() => {
    let live = true;
    const asked = urls.map(({ name, url }) => {
      const q = ask<Answer<P>>(url);
      const key = keyOf(url);
      q.answer.then(
        (value) => {
          if (live) setHeld((before) => new Map(before).set(name, { key, value }));
        },
        (e: unknown) => {
          const error =
            e instanceof ApiError ? e : new ApiError(0, "cancelled", "cancelled", "", 0);
          if (live) setFailed({ all, error });
        },
      );
      return q;
    });
    return () => {
      live = false;
      for (const q of asked) q.giveUp();
    };
  }, [all]);

  const values = new Map<number, Answer<P>>();
  let stale = false;
  for (const { name, url } of urls) {
    const one = held.get(name);
    const value = one?.key === keyOf(url) ? one.value : (answered(url) as Answer<P> | undefined);
    stale ||= value === undefined;
    const shown = value ?? one?.value;
    if (shown !== undefined) values.set(name, shown);
  }
  const error = failed?.all === all ? failed.error : undefined;
  return {
    values,
    stale,
    busy: stale && error === undefined,
    error,
    retry: () => {
      setAttempt((n) => n + 1);
    },
  };
}
