// The findings that could give back most, each a link to its evidence.

import { useAnswer } from "../../api/answer";
import { coresBack, coresOf, kept } from "../../parts/finding";
import { Failure } from "../../parts/failure";
import { FindingLink, keyOf } from "../../parts/findinglink";
import { Go } from "../../parts/go";
import { coresText } from "../../parts/measure";
import { billText, usePrices } from "../../parts/prices";
import { address } from "../../state/navigation";

const MOST = 6;

export function Back() {
  const prices = usePrices();
  const services = address.value.filters.service ?? [];
  const asked = useAnswer(
    "/api/v1/findings",
    services.length === 1 ? { service: services[0] } : {},
  );
  const { value, error } = asked;
  const list = value
    ? kept(value).filter(
        (k) =>
          k.finding.certainty !== "refuted" &&
          (services.length === 0 || services.includes(k.service)),
      )
    : [];
  return (
    <section class="back" aria-label="Potential savings" aria-busy={asked.busy}>
      <h2>Potential savings</h2>
      {value === undefined ? (
        error && <Failure error={error} retry={asked.retry} />
      ) : list.length === 0 ? (
        <p class="quiet">{value.runs.length === 0 ? "Not analysed yet." : "Nothing found."}</p>
      ) : (
        <ol>
          {list.slice(0, MOST).map((k) => {
            const back = coresBack(k);
            return (
              <li key={keyOf(k)}>
                <FindingLink kept={k} />
                <span class="quiet">
                  {k.service} · {coresText(coresOf(k))} cores
                  {back &&
                    back.high > 0 &&
                    `, up to ${coresText(back.high)} back${billText(back.high, prices)}`}{" "}
                  · {k.finding.certainty}
                </span>
              </li>
            );
          })}
        </ol>
      )}
      {list.length > MOST && <Go to={{ view: "findings" }}>All {list.length} findings</Go>}
    </section>
  );
}
