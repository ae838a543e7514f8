// Before there is any data: the two commands that bring some. The screen goes away by
// itself when they do.

import { useEffect, useState } from "preact/hooks";
import { refresh, request } from "../api/client";
import { whenPassed } from "../api/again";
import { asApiError, passing, type ApiError } from "../api/error";
import { questionOf } from "../api/answer";
import { HOME } from "../state/address";
import { format, generation, instant } from "../state/moment";
import { address, adjust } from "../state/navigation";
import { Command } from "../parts/command";
import { Empty } from "../parts/failure";
import { lastHour, newest } from "../parts/newest";
import { agentCommand, closed, recordCommand } from "../parts/sending";
import type { Answer } from "../api/client";

interface Holding {
  readonly value: boolean | undefined; // undefined while that is not known
  readonly error: ApiError | undefined;
  readonly retry: () => void;
}

const POLL = 2000; // ms

// useHolding tells whether the project holds samples, and looks again until it does.
export function useHolding(): Holding {
  const url = questionOf("/api/v1/stats", {});
  const [known, setKnown] = useState<{ url: string; value?: boolean; error?: ApiError }>({
    url: "",
  });
  const [attempt, setAttempt] = useState(0);
  const again = generation.value;
  const settled = known.url === url && known.value === true;
  useEffect(() => {
    if (settled) return;
    let timer = 0;
    let failures = 0;
    let wait = (): void => undefined;
    const stop = new AbortController();
    const look = async (first: boolean): Promise<void> => {
      try {
        const response = await request(url, { signal: stop.signal });
        const stats = (await response.json()) as Answer<"/api/v1/stats">;
        const value = stats.series > 0;
        failures = 0;
        if (value && !first) refresh(); // "now" is when the data came
        if (value) openOnSamples(stats);
        setKnown({ url, value });
        if (!value) timer = window.setTimeout(() => void look(false), POLL);
      } catch (e) {
        if (stop.signal.aborted) return;
        const error = asApiError(e);
        if (error.status === 401) return;
        setKnown({ url, error });
        if (passing(error)) wait = whenPassed(error, ++failures, () => void look(false));
      }
    };
    void look(true);
    return () => {
      stop.abort();
      wait();
      clearTimeout(timer);
    };
  }, [url, settled, again, attempt]);
  const mine = known.url === url;
  return {
    value: mine ? known.value : undefined,
    error: mine ? known.error : undefined,
    retry: () => {
      setKnown({ url: "" });
      setAttempt(attempt + 1);
    },
  };
}

let opened = false;

// openOnSamples has a page that is opened without a time show the newest hour that has
// samples, where the last one has none: a profile of yesterday was pushed, or the agents
// stopped. A time that somebody chose stays.
function openOnSamples(stats: Answer<"/api/v1/stats">): void {
  const { from, to } = address.peek();
  const end = newest(stats);
  if (opened) return;
  opened = true;
  if (from !== HOME.from || to !== HOME.to || end === 0) return;
  if (end > instant("now-1h")) return;
  adjust({ from: format(lastHour(end).from), to: format(end) });
}

export function FirstScreen() {
  return (
    <Empty title="No profiles yet">
      <p>Record all of a machine, all the time:</p>
      <Command text={agentCommand()} />
      <p>Or record one program, and send that:</p>
      <Command text={recordCommand("program")} />
      {closed() && (
        <p class="quiet">
          TOKEN is a file with a token that may send:{" "}
          <code>whyhot-server token create --scope send</code>
        </p>
      )}
      <p class="quiet" role="status">
        The page continues automatically when the first samples arrive.
      </p>
    </Empty>
  );
}
