// The findings that could give back most, each a link to its evidence.

import { useAnswer } from "../../api/answer";
import { coresBack, coresOf, kept } from "../../parts/finding";
import { coresText } from "../../parts/measure";
import { address, go, linkTo, ownChange } from "../../state/navigation";

const MOST = 6;
const OPEN = "findings.open";

export function Back() {
  const services = address.value.filters.service ?? [];
  const { value } = useAnswer(
    "/api/v1/findings",
    services.length === 1 ? { service: services[0] } : {},
  );
  const list = value
    ? kept(value).filter(
        (k) =>
          k.finding.certainty !== "refuted" &&
          (services.length === 0 || services.includes(k.service)),
      )
    : [];
  return (
    <section class="back" aria-label="What could come back">
      <h2>What could come back</h2>
      {list.length === 0 ? (
        <p class="quiet">
          {value?.runs.length === 0 ? "The rules have not looked yet." : "Nothing found."}
        </p>
      ) : (
        <ol>
          {list.slice(0, MOST).map((k) => {
            const back = coresBack(k);
            const there = {
              view: "findings",
              ...ownChange({ [OPEN]: `${k.finding.id}@${k.service}` }),
            } as const;
            return (
              <li key={`${k.finding.id}@${k.service}`}>
                <a
                  href={linkTo(there)}
                  onClick={(e) => {
                    if (e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return;
                    e.preventDefault();
                    go(there);
                  }}
                >
                  {k.finding.title}
                </a>
                <span class="quiet">
                  {k.service} · {coresText(coresOf(k))} cores
                  {back && back.high > 0 && `, up to ${coresText(back.high)} back`} ·{" "}
                  {k.finding.certainty}
                </span>
              </li>
            );
          })}
        </ol>
      )}
      {list.length > MOST && (
        <a
          href={linkTo({ view: "findings" })}
          onClick={(e) => {
            if (e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return;
            e.preventDefault();
            go({ view: "findings" });
          }}
        >
          All {list.length} findings
        </a>
      )}
    </section>
  );
}
