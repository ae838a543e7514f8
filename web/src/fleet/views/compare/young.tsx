// Nothing to compare with, as on a server that is younger than the time before: the comparisons
// that there are.

import { useAnswer } from "../../api/answer";
import { Waiting } from "../../parts/answered";
import { Choices, type Choice } from "../../parts/choices";
import { Empty } from "../../parts/failure";
import { NoSamples } from "../../parts/nosamples";
import { day } from "../../parts/time";
import { selection } from "../../state/address";
import { format, moment } from "../../state/moment";
import { address, ownChange } from "../../state/navigation";
import { BY, halves, OWN, rangeBefore } from "./sides";

export function Young() {
  const a = address.value;
  const asked = useAnswer("/api/v1/labels/{dimension}", { ...selection(a), dimension: "service" });
  const keys = useAnswer("/api/v1/labels", {}).value?.keys ?? [];
  if (asked.value === undefined) return <Waiting />;
  const { values } = asked.value;
  if (values.length === 0) return <NoSamples />;
  const first = Math.min(...values.map((v) => Date.parse(v.first)));
  const last = Math.max(...values.map((v) => Date.parse(v.last)));
  const cut = halves(last, last - first);
  const choices: Choice[] = [];
  if (cut)
    choices.push({
      label: "Compare the two halves of what there is",
      change: {
        from: format(cut.after.from),
        to: format(cut.after.to),
        ...ownChange({ [OWN.before]: `${format(cut.before.from)}..${format(cut.before.to)}` }),
      },
    });
  for (const by of BY)
    if (keys.some((k) => k.key === by && k.values > 1))
      choices.push({
        label: `Compare two ${by}s`,
        change: ownChange({ [OWN.by]: by, [OWN.before]: "", [OWN.after]: "" }),
      });
  const before = rangeBefore(a, moment.value);
  return (
    <Empty
      title={`There are no samples from ${day(before.from)} to ${day(before.to)} to compare with.`}
    >
      {choices.length === 0 && <p>There will be when samples of two minutes are there.</p>}
      <Choices of={choices} />
    </Empty>
  );
}
