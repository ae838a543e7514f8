// useAnswers asks one operation about several things at once, such as the call graphs of
// the functions in view. What is there is given while the rest is on its way.

import { useCallback, useEffect, useState } from "preact/hooks";
import type { Parameters } from "../state/address";
import { generation } from "../state/moment";
import { whenPassed } from "./again";
import { questionOf } from "./answer";
import { answered, ask, type Answer } from "./client";
import { asApiError, passing, type ApiError } from "./error";
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

interface Failed {
  readonly all: string; // the questions, and which attempt at them
  readonly text: string; // of the questions
  readonly failures: number; // of those questions, in a row
  readonly error: ApiError;
}

// The questions have names that stay the same when the rest of the question changes, so
// that the answer before stands until the next one comes.
export function useAnswers<P extends keyof paths>(
  path: P,
  questions: ReadonlyMap<number, Parameters>,
): AskedMany<Answer<P>> {
  const [held, setHeld] = useState<ReadonlyMap<number, Held<Answer<P>>>>(new Map());
  const [failed, setFailed] = useState<Failed>();
  const [attempt, setAttempt] = useState(0);
  const urls = [...questions].map(([name, p]) => ({ name, url: questionOf(path, p) }));
  const keyOf = (url: string): string => `${generation.value} ${url}`;
  const text = urls.map(({ name, url }) => `${name} ${keyOf(url)}`).join("\n");
  const all = `${attempt} ${text}`;

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
          if (!live) return;
          const error = asApiError(e);
          setFailed((before) => {
            if (before?.all === all) return before; // one of them says it for all
            const failures = before?.text === text ? before.failures + 1 : 1;
            return { all, text, failures, error };
          });
        },
      );
      return q;
    });
    return () => {
      live = false;
      for (const q of asked) q.giveUp();
    };
  }, [all]);

  const retry = useCallback(() => {
    setAttempt((n) => n + 1);
  }, []);
  const passes = failed?.all === all && passing(failed.error) ? failed : undefined;
  useEffect(
    () => (passes ? whenPassed(passes.error, passes.failures, retry) : undefined),
    [passes, retry],
  );

  const values = new Map<number, Answer<P>>();
  let stale = false;
  for (const { name, url } of urls) {
    const one = held.get(name);
    const value = one?.key === keyOf(url) ? one.value : (answered(url) as Answer<P> | undefined);
    stale ||= value === undefined;
    const shown = value ?? one?.value;
    if (shown !== undefined) values.set(name, shown);
  }
  const busy = stale && failed?.all !== all;
  // What is asked again by itself goes on to say why, and does not flicker.
  const stays = !busy || (failed?.text === text && passing(failed.error));
  const error = stale && stays ? failed?.error : undefined;
  return { values, stale, busy, error, retry };
}
