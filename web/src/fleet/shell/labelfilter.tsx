// The filter of one dimension: which of its values the views show.

import { useCallback, useState } from "preact/hooks";
import { useAnswer } from "../api/answer";
import { percent } from "../../format/number";
import { TITLES } from "../parts/dimensions";
import { Failure } from "../parts/failure";
import { Waiting } from "../parts/answered";
import { Popover } from "../parts/popover";
import { selection, type Dimension } from "../state/address";
import { address, go } from "../state/navigation";

const MOST = 100; // values in the list
export function LabelFilter({ dimension }: { dimension: Dimension }) {
  const chosen = address.value.filters[dimension] ?? [];
  const title = TITLES[dimension];
  const label =
    chosen.length === 0
      ? title
      : chosen.length === 1
        ? `${title}: ${nameOf(chosen[0])}`
        : `${title}: ${chosen.length}`;
  return (
    <Popover
      label={<span class="clip">{label}</span>}
      title={title}
      class={chosen.length > 0 ? "set" : ""}
    >
      {() => <Values dimension={dimension} chosen={chosen} />}
    </Popover>
  );
}

function nameOf(value: string): string {
  return value === "" ? "(none)" : value;
}

function Values({ dimension, chosen }: { dimension: Dimension; chosen: readonly string[] }) {
  const [typed, setTyped] = useState("");
  // The values come later than the panel, which had nothing to focus then.
  const focused = useCallback((e: HTMLInputElement | null) => {
    e?.focus({ preventScroll: true });
  }, []);
  // The values that the other filters leave: its own is what is chosen here.
  const others = { ...selection(address.value) };
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
  delete others[dimension];
  const asked = useAnswer("/api/v1/labels/{dimension}", { ...others, dimension });
  const choose = (values: readonly string[]): void => {
    const filters: Partial<Record<Dimension, readonly string[]>> = { ...address.peek().filters };
    if (values.length > 0) filters[dimension] = values;
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete
    else delete filters[dimension];
    go({ filters: filters });
  };
  if (asked.value === undefined) {
    return asked.error ? <Failure error={asked.error} retry={asked.retry} /> : <Waiting />;
  }
  const { values } = asked.value;
  const all = values.reduce((sum, v) => sum + v.weight, 0);
  const gone = chosen.filter((c) => !values.some((v) => v.value === c));
  const list = [...gone.map((value) => ({ value, weight: 0 })), ...values];
  const wanted = typed.toLowerCase();
  const hits = list.filter((v) => nameOf(v.value).toLowerCase().includes(wanted));
  return (
    <>
      <input
        ref={focused}
        type="search"
        class="narrow"
        placeholder={`Find among ${list.length}`}
        aria-label={`Find a ${dimension}`}
        value={typed}
        onInput={(e) => {
          setTyped(e.currentTarget.value);
        }}
        onKeyDown={(e) => {
          if (e.key === "Enter" && hits.length > 0 && wanted !== "") choose([hits[0].value]);
        }}
      />
      <ul class="values">
        {hits.slice(0, MOST).map((v) => (
          <li key={v.value}>
            <label>
              <input
                type="checkbox"
                checked={chosen.includes(v.value)}
                onChange={(e) => {
                  const rest = chosen.filter((c) => c !== v.value);
                  choose(e.currentTarget.checked ? [...rest, v.value] : rest);
                }}
              />
              <span class="clip" title={nameOf(v.value)}>
                {nameOf(v.value)}
              </span>
              <small>{percent(all > 0 ? v.weight / all : 0)}</small>
            </label>
            <button
              type="button"
              class="link"
              onClick={() => {
                choose([v.value]);
              }}
            >
              only<span class="offscreen"> {nameOf(v.value)}</span>
            </button>
          </li>
        ))}
      </ul>
      {hits.length === 0 && (
        <p class="quiet">
          {list.length === 0
            ? Object.keys(others).some((d) => d in TITLES)
              ? "None with the other filters in this time."
              : "None in this time."
            : "No such one."}
        </p>
      )}
      {hits.length > MOST && <p class="quiet">{hits.length - MOST} more: type to find them.</p>}
      {chosen.length > 0 && (
        <button
          type="button"
          onClick={() => {
            choose([]);
          }}
        >
          All
        </button>
      )}
    </>
  );
}
