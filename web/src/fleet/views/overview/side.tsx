// Beside the list: what is not as it was to be expected, a sentence each, and below it what
// could come back. Where nothing is surprising there is no list: it is no part of the page that
// one has to look at.

import { shortName } from "../../../format/name";
import { useEffect, useState } from "preact/hooks";
import { useAnswer, type Asked } from "../../api/answer";
import type { Answer } from "../../api/client";
import { Go } from "../../parts/go";
import { selection } from "../../state/address";
import { address } from "../../state/navigation";
import { Back } from "./back";
import { whereTo } from "./leads";

const MOST = 3; // as many as explain tells
const SOON = 1000; // ms

// Side has what is surprising above what could come back. That stands still: it waits a moment
// for what will be above it.
export function Side() {
  const asked = useAnswer("/api/v1/surprises", { ...selection(address.value), limit: MOST });
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setLate(true);
    }, SOON);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  const below = late || asked.value !== undefined || !asked.busy;
  return (
    <div class="overview-side" aria-busy={!below}>
      <Surprising asked={asked} />
      {below && <Back />}
    </div>
  );
}

function Surprising({ asked }: { asked: Asked<Answer<"/api/v1/surprises">> }) {
  const list = asked.value?.surprises ?? [];
  if (list.length === 0) return null;
  return (
    <section
      class={asked.stale ? "back stale" : "back"}
      aria-label="Anomalies"
      aria-busy={asked.busy}
    >
      <h2>Anomalies</h2>
      <ol>
        {list.map((s) => (
          <li key={`${s.against} ${s.kind} ${s.name} ${s.binary ?? ""}`}>
            <Go to={whereTo(s)} title={s.name}>
              {shortName(s.name)}
            </Go>
            <span class="quiet">
              {s.text.replaceAll(s.name, shortName(s.name))}
              {s.reason !== undefined && ` Because ${s.reason}.`}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
