// No samples in the selection: the ways out of that.

import { useAnswer } from "../api/answer";
import { DIMENSIONS, type Address } from "../state/address";
import { address, go } from "../state/navigation";
import { format } from "../state/moment";
import { day } from "./time";
import { Empty } from "./failure";

const HOUR = 3_600_000;

export function NoSamples() {
  const stats = useAnswer("/api/v1/stats", {});
  const filtered = DIMENSIONS.some((d) => address.value.filters[d] !== undefined);
  const last = Math.max(
    ...(stats.value?.tables ?? []).map((t) => (t.last === undefined ? 0 : Date.parse(t.last))),
    0,
  );
  const choices: { label: string; change: Partial<Address> }[] = [];
  if (filtered) choices.push({ label: "Clear the filters", change: { filters: {} } });
  if (last > 0) {
    choices.push({
      label: `Show the last hour that has samples (${day(last)})`,
      change: { from: format(last - HOUR), to: format(last) },
    });
  }
  return (
    <Empty
      title={filtered ? "No samples match the filters in this time." : "No samples in this time."}
    >
      {choices.map((c) => (
        <p key={c.label}>
          <button
            type="button"
            onClick={() => {
              go(c.change);
            }}
          >
            {c.label}
          </button>
        </p>
      ))}
    </Empty>
  );
}
