// What every view is narrowed by: time, labels, search.

import { useState } from "preact/hooks";
import { refresh } from "../api/client";
import { Copy } from "../parts/command";
import { DIMENSIONS, formatAddress, OF_FUNCTIONS, UNFILTERED } from "../state/address";
import { address, adjust, go } from "../state/navigation";
import { absolute } from "../state/moment";
import { ConditionFilter } from "./conditionfilter";
import { LabelFilter } from "./labelfilter";
import { SearchBox } from "./searchbox";
import { TimeRange } from "./timerange";

// FilterBar leaves out the time where a view is about another one: findings are of the time that
// the rules analysed.
export function FilterBar({ timeless = false }: { timeless?: boolean }) {
  const { filters, where, exact, ownCode, view } = address.value;
  const [unfolded, setUnfolded] = useState(false);
  const count = DIMENSIONS.filter((d) => filters[d] !== undefined).length + (where === "" ? 0 : 1);
  return (
    <section aria-label="Filters">
      <div class="filters" role="group" aria-label="What the views show">
        {!timeless && <TimeRange />}
        <button
          type="button"
          class="unfold"
          aria-expanded={unfolded}
          onClick={() => {
            setUnfolded(!unfolded);
          }}
        >
          Filters{count > 0 ? ` (${count})` : ""}
        </button>
        <div class={unfolded ? "labels unfolded" : "labels"}>
          {DIMENSIONS.map((d) => (
            <LabelFilter key={d} dimension={d} />
          ))}
          <ConditionFilter />
          {count > 0 && (
            <button
              type="button"
              class="link"
              onClick={() => {
                go(UNFILTERED);
              }}
            >
              Clear
            </button>
          )}
        </div>
        <SearchBox />
        <div class="tools" role="group" aria-label="Answers">
          {OF_FUNCTIONS.includes(view) && (
            <label
              class="check"
              title="Only the program's own functions: what libraries, interpreters and the kernel do counts for the function that calls them"
            >
              <input
                type="checkbox"
                checked={ownCode}
                onChange={(e) => {
                  go({ ownCode: e.currentTarget.checked });
                }}
              />
              Own code
            </label>
          )}
          <label
            class="check"
            title="Read all samples, where a part of them would do for an estimate"
          >
            <input
              type="checkbox"
              checked={exact}
              onChange={(e) => {
                adjust({ exact: e.currentTarget.checked });
              }}
            />
            Exact
          </label>
          <Copy text={fixedLink} label="Copy link" />
          <button
            type="button"
            title="Refresh, up to now (r)"
            aria-label="Refresh"
            onClick={refresh}
          >
            ⟳
          </button>
        </div>
      </div>
    </section>
  );
}

// fixedLink shows the same to whoever opens it, whenever that is: its times are not
// relative to then.
function fixedLink(): string {
  const a = address.peek();
  const own = Object.fromEntries(
    Object.entries(a.own).map(([name, value]) => [
      name,
      value.startsWith("now") ? absolute(value) : value,
    ]),
  );
  const fixed = { ...a, own, from: absolute(a.from), to: absolute(a.to) };
  return location.origin + formatAddress(fixed);
}
