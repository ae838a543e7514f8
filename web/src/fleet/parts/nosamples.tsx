// No samples in the selection, or none of a function: the ways out of that.

import { useAnswer } from "../api/answer";
import { isFiltered, UNFILTERED } from "../state/address";
import { address } from "../state/navigation";
import { format } from "../state/moment";
import { day } from "./time";
import { Choices, type Choice } from "./choices";
import { Empty } from "./failure";
import { lastHour, newest } from "./newest";

const MOST = 8; // services that are named

export function NoSamples() {
  const stats = useAnswer("/api/v1/stats", {});
  const filtered = isFiltered(address.value);
  const { from, to } = address.value;
  const services = useAnswer("/api/v1/services", filtered ? { from, to } : null);
  const there = (services.value?.values ?? []).map((v) => v.value);
  const last = stats.value ? newest(stats.value) : 0;
  const choices: Choice[] = [];
  if (filtered) choices.push({ label: "Clear the filters", change: UNFILTERED });
  if (address.value.ownCode) choices.push({ label: "Show all code", change: { ownCode: false } });
  if (last > 0) {
    choices.push({
      label: `Show the last hour that has samples (${day(last)})`,
      change: { from: format(lastHour(last).from), to: format(last) },
    });
  }
  return (
    <Empty
      title={filtered ? "No samples match the filters in this time." : "No samples in this time."}
    >
      {filtered && services.value && (
        <p>
          {there.length === 0
            ? "No service sent samples in this time."
            : `Services of this time: ${there.slice(0, MOST).join(", ")}${there.length > MOST ? ", …" : ""}`}
        </p>
      )}
      <Choices of={choices} />
    </Empty>
  );
}

// NotRun is of a function that has none of the samples of the selection.
export function NotRun({ basis }: { basis: { readonly count: number } }) {
  if (basis.count === 0) return <NoSamples />;
  const filtered = isFiltered(address.value);
  const choices: Choice[] = [{ label: "Choose another function", change: { fn: 0 } }];
  if (filtered) choices.unshift({ label: "Clear the filters", change: UNFILTERED });
  if (address.value.ownCode) {
    choices.unshift({ label: "Show all code", change: { ownCode: false } });
    return (
      <Empty title="The function is not the program's own, or did not run in this selection.">
        <p>With Own code, it counts for the program's functions that call it.</p>
        <Choices of={choices} />
      </Empty>
    );
  }
  return (
    <Empty title="The function did not run in this selection.">
      <p>Another time{filtered && " or fewer filters"} may have it.</p>
      <Choices of={choices} />
    </Empty>
  );
}
