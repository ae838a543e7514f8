// What is not as it was to be expected, a sentence each. Where nothing is, there is no
// list: it is no part of the page that one has to look at.

import { useAnswer } from "../../api/answer";
import { Go } from "../../parts/go";
import { selection } from "../../state/address";
import { address } from "../../state/navigation";
import { whereTo } from "./leads";

const MOST = 3; // as many as explain tells

export function Surprising() {
  const asked = useAnswer("/api/v1/surprises", { ...selection(address.value), limit: MOST });
  const list = asked.value?.surprises ?? [];
  if (list.length === 0) return null;
  return (
    <section
      class={asked.stale ? "back stale" : "back"}
      aria-label="What is surprising"
      aria-busy={asked.busy}
    >
      <h2>What is surprising</h2>
      <ol>
        {list.map((s) => (
          <li key={`${s.against} ${s.kind} ${s.name} ${s.binary ?? ""}`}>
            <Go to={whereTo(s)}>{s.name}</Go>
            <span class="quiet">
              {s.text}
              {s.reason !== undefined && ` Because ${s.reason}.`}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
