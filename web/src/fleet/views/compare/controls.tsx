// What is compared with what.

import { day } from "../../parts/time";
import { moment, instant, format } from "../../state/moment";
import { address, go, ownChange } from "../../state/navigation";
import { BY, EARLIER, OWN, rangeBefore, type By, type Value } from "./sides";

interface Props {
  by: By;
  values: readonly Value[];
  sides: [string, string] | undefined;
}

const NAMES: Record<By, string> = {
  time: "two times",
  version: "two versions",
  service: "two services",
  host: "two hosts",
  container: "two containers",
};

export function Controls({ by, values, sides }: Props) {
  return (
    <div class="controls">
      <label>
        Compare{" "}
        <select
          value={by}
          onChange={(e) => {
            const next = e.currentTarget.value;
            go(
              ownChange({
                [OWN.by]: next === "time" ? "" : next,
                [OWN.before]: "",
                [OWN.after]: "",
              }),
            );
          }}
        >
          {BY.map((b) => (
            <option key={b} value={b}>
              {NAMES[b]}
            </option>
          ))}
        </select>
      </label>
      {by === "time" ? <Times /> : <Values by={by} values={values} sides={sides} />}
    </div>
  );
}

function Values({ by, values, sides }: Props) {
  if (sides === undefined) return null;
  const choose = (name: string, now: string, label: string) => (
    <label>
      {label}{" "}
      <select
        value={now}
        onChange={(e) => {
          go(
            ownChange({
              [OWN.before]: sides[0],
              [OWN.after]: sides[1],
              [name]: e.currentTarget.value,
            }),
          );
        }}
      >
        {[...new Set([now, ...values.map((v) => v.value)])].map((v) => (
          <option key={v} value={v}>
            {v === "" ? `without ${by}` : v}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      {choose(OWN.before, sides[0], "before")}
      <button
        type="button"
        title="Swap"
        aria-label="Swap before and after"
        onClick={() => {
          go(ownChange({ [OWN.before]: sides[1], [OWN.after]: sides[0] }));
        }}
      >
        ⇄
      </button>
      {choose(OWN.after, sides[1], "after")}
    </>
  );
}

const LABELS = {
  previous: "the time before it",
  day: "a day before",
  week: "a week before",
} as const;

function Times() {
  const a = address.value;
  const now = moment.value;
  const text = a.own[OWN.before] ?? "previous";
  const before = rangeBefore(a, now);
  const own = text.includes("..");
  const set = (range: { from: number; to: number }): void => {
    if (range.from < range.to)
      go(ownChange({ [OWN.before]: `${format(range.from)}..${format(range.to)}` }));
  };
  return (
    <>
      <span>
        <b>{`${day(instant(a.from, now))} – ${day(instant(a.to, now))}`}</b> with
      </span>
      <select
        aria-label="the time before"
        value={own ? "own" : text}
        onChange={(e) => {
          const next = e.currentTarget.value;
          if (next === "own") set(before);
          else go(ownChange({ [OWN.before]: next === "previous" ? "" : next }));
        }}
      >
        {EARLIER.map((e) => (
          <option key={e} value={e}>
            {LABELS[e]}
          </option>
        ))}
        <option value="own">another time…</option>
      </select>
      {own ? (
        <>
          <When
            label="from"
            at={before.from}
            set={(from) => {
              set({ ...before, from });
            }}
          />
          <When
            label="to"
            at={before.to}
            set={(to) => {
              set({ ...before, to });
            }}
          />
        </>
      ) : (
        <span class="hint">{`${day(before.from)} – ${day(before.to)}`}</span>
      )}
    </>
  );
}

// When is a time in the reader's own zone.
function When({ label, at, set }: { label: string; at: number; set: (at: number) => void }) {
  return (
    <label>
      {label}{" "}
      <input
        type="datetime-local"
        value={day(at).replace(" ", "T")}
        onChange={(e) => {
          const next = Date.parse(e.currentTarget.value);
          if (Number.isFinite(next)) set(next);
        }}
      />
    </label>
  );
}
