// Around everything that shows an answer: waiting, failed, old, empty, there.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Asked } from "../api/answer";
import { Empty, Failure, FailureBanner } from "./failure";
import { NoSamples } from "./nosamples";

interface Props<T> {
  readonly asked: Asked<T>;
  // empty says that an answer holds nothing; what is shown then is otherwise.
  readonly empty?: (value: T) => boolean;
  readonly otherwise?: (value: T) => ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

export function Answered<T>({ asked, empty, otherwise, children }: Props<T>) {
  const { value, stale, busy, error, retry } = asked;
  if (value === undefined) {
    if (error) return <Failure error={error} retry={retry} />;
    return busy ? <Waiting /> : null;
  }
  return (
    <div class={stale ? "answered stale" : "answered"} aria-busy={busy}>
      {error && <FailureBanner error={error} retry={retry} />}
      {empty?.(value) ? (otherwise?.(value) ?? <NoSamples />) : children(value)}
    </div>
  );
}

// Waiting says nothing for so long that nobody notices.
const SLOW = 300; // ms

export function Waiting() {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSlow(true);
    }, SLOW);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return slow ? <Empty title="Waiting for the answer…" /> : <div class="state" aria-busy="true" />;
}
