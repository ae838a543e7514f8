// Which time the views show: the last so much, or from one time to another.

import { useState } from "preact/hooks";
import { Popover } from "../parts/popover";
import { LAST, rangeText } from "../parts/time";
import { address, go } from "../state/navigation";
import { format, instant, moment } from "../state/moment";

const MINUTE = 60_000;

export function TimeRange() {
  const { from, to } = address.value;
  const start = instant(from);
  const end = instant(to);
  const whole = Number.isFinite(start) && Number.isFinite(end) && start < end;
  const shift = (a: number, b: number): void => {
    // Beyond now there is nothing: the range keeps its length and ends now.
    const over = Math.max(0, b - moment.peek());
    go({ from: format(a - over), to: format(b - over) });
  };
  const length = end - start;
  return (
    <div class="time" role="group" aria-label="Time">
      <button
        type="button"
        aria-label="Earlier"
        title="Earlier"
        disabled={!whole}
        onClick={() => {
          shift(start - length / 2, end - length / 2);
        }}
      >
        ‹
      </button>
      <Popover label={rangeText(from, to, instant)} title="Time" class="range">
        {(close) => <Choose close={close} />}
      </Popover>
      <button
        type="button"
        aria-label="Later"
        title="Later"
        disabled={!whole || end >= moment.value}
        onClick={() => {
          shift(start + length / 2, end + length / 2);
        }}
      >
        ›
      </button>
      <button
        type="button"
        aria-label="Longer"
        title="Longer: twice the time"
        disabled={!whole}
        onClick={() => {
          shift(start - length / 2, end + length / 2);
        }}
      >
        ⤢
      </button>
    </div>
  );
}

function Choose({ close }: { close: () => void }) {
  const { from, to } = address.value;
  const [a, setA] = useState(local(instant(from)));
  const [b, setB] = useState(local(instant(to)));
  const start = Date.parse(a);
  const end = Date.parse(b);
  const wrong = Number.isNaN(start) || Number.isNaN(end) || start >= end;
  return (
    <>
      <ul class="choices">
        {LAST.map(([name, title]) => (
          <li key={name}>
            <button
              type="button"
              aria-pressed={from === `now-${name}` && to === "now"}
              onClick={() => {
                go({ from: `now-${name}`, to: "now" });
                close();
              }}
            >
              Last {title}
            </button>
          </li>
        ))}
      </ul>
      <form
        class="exactly"
        onSubmit={(e) => {
          e.preventDefault();
          if (wrong) return;
          go({ from: format(start), to: format(end) });
          close();
        }}
      >
        <Time title="From" value={a} set={setA} />
        <Time title="To" value={b} set={setB} />
        <button type="submit" disabled={wrong}>
          Show
        </button>
        {wrong && (
          <p class="quiet" role="status">
            The beginning must be before the end.
          </p>
        )}
        <p class="quiet">{Intl.DateTimeFormat().resolvedOptions().timeZone}</p>
      </form>
    </>
  );
}

interface TimeProps {
  readonly title: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

function Time({ title, value, set }: TimeProps) {
  return (
    <label>
      {title}
      <input
        type="datetime-local"
        value={value}
        onInput={(e) => {
          set(e.currentTarget.value);
        }}
      />
    </label>
  );
}

// local is a time as an input of type datetime-local has it.
function local(at: number): string {
  if (Number.isNaN(at)) return "";
  const zone = new Date(at).getTimezoneOffset() * MINUTE;
  return new Date(at - zone).toISOString().slice(0, 16);
}
