// What the rules found in the fleet, ranked by the cores that could come back; each
// unfolds into its evidence, its trials, its history and the command that proves it.

import { useEffect } from "preact/hooks";
import { shortName } from "../../../format/name";
import { counted } from "../../../format/number";
import { useAnswer } from "../../api/answer";
import { refresh } from "../../api/client";
import { Answered } from "../../parts/answered";
import { Command } from "../../parts/command";
import { Empty } from "../../parts/failure";
import { coresBack, coresOf, kept, savings, type Kept } from "../../parts/finding";
import { keyOf, OPEN } from "../../parts/findinglink";
import { where } from "../../parts/findingwords";
import { coresText } from "../../parts/measure";
import { billText, yearly, usePrices, type Prices } from "../../parts/prices";
import { useFocusStep, useFound } from "../../parts/searching";
import { ago, rangeText } from "../../parts/time";
import { DIMENSIONS } from "../../state/address";
import { moment } from "../../state/moment";
import { address, adjust, go, ownChange } from "../../state/navigation";
import { search } from "../../state/search";
import type { components } from "../../api/schema";
import { Card } from "./card";

const ALL = "findings.all";
const SMALL = "findings.small";

// What could bring back less than a thousandth of a core is listed on request.
const LEAST = 0.001;

// How often the page looks whether a trial moved a finding, or the rules looked again.
const EVERY = 15_000; // ms

type Answer = components["schemas"]["Findings"];

export function Findings() {
  const a = address.value;
  const services = a.filters.service ?? [];
  const asked = useAnswer("/api/v1/findings", {
    ...(services.length === 1 ? { service: services[0] } : {}),
    all: a.own[ALL] === "true",
  });
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, EVERY);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return (
    <section class="findings">
      <Answered
        asked={asked}
        empty={(v) => chosen(v, services).length === 0}
        otherwise={() => <Nothing answer={asked.value} />}
      >
        {(answer) => <List answer={answer} services={services} />}
      </Answered>
    </section>
  );
}

function chosen(answer: Answer, services: readonly string[]): readonly Kept[] {
  const { expression } = search.value;
  return kept(answer).filter((k) => {
    if (services.length > 0 && !services.includes(k.service)) return false;
    const { title, rule, place } = k.finding;
    return (
      expression === null || [title, rule, k.service, where(place)].some((t) => expression.test(t))
    );
  });
}

function List({ answer, services }: { answer: Answer; services: readonly string[] }) {
  const a = address.value;
  const list = chosen(answer, services);
  const current = list.filter((k) => k.finding.certainty !== "refuted");
  const small = current.filter(isSmall).length;
  const linked = current.find((k) => keyOf(k) === a.own[OPEN]);
  const showSmall =
    a.own[SMALL] === "true" ||
    small === current.length ||
    (linked !== undefined && isSmall(linked));
  const open = showSmall ? current : current.filter((k) => !isSmall(k));
  const refuted = list.filter((k) => k.finding.certainty === "refuted");
  const all = a.own[ALL] === "true";
  useFound(
    search.value.expression === null
      ? null
      : { text: `${list.length} of ${counted(kept(answer).length, "finding")}` },
  );
  useFocusStep(".findings .ranked > li h3 button");
  const prices = usePrices();
  const back = savings(open);
  const looked = new Map(answer.runs.map((r) => [r.service, r.time]));
  return (
    <>
      <header>
        <p class="facts">
          <b>{open.length}</b> {open.length === 1 ? "finding" : "findings"} in{" "}
          <b>{new Set(open.map((k) => k.service)).size}</b> of{" "}
          {counted(answer.runs.length, "service")}
          {analysed(answer)}
          {back.high > 0 && (
            <>
              {" · "}
              potential savings: <b>{coresRange(back)}</b> cores{billText(back.high, prices)}, if
              the findings do not overlap
            </>
          )}
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={all}
            onChange={() => {
              go(ownChange({ [ALL]: all ? "" : "true" }));
            }}
          />{" "}
          show inactive
        </label>
        {small > 0 && small < current.length && (
          <label class="check" title="What could bring back less than 0.001 cores">
            <input
              type="checkbox"
              checked={showSmall}
              onChange={() => {
                go(ownChange({ [SMALL]: showSmall ? "" : "true" }));
              }}
            />{" "}
            show {counted(small, "small one")}
          </label>
        )}
      </header>
      <Narrowed />
      <h2 class="offscreen">By what they could bring back</h2>
      <ol class="ranked">
        {open.map((k, i) => (
          <Entry key={keyOf(k)} kept={k} rank={i + 1} looked={looked.get(k.service)} />
        ))}
      </ol>
      {refuted.length > 0 && (
        <>
          <h2>Refuted: a trial measured no gain</h2>
          <ol class="ranked">
            {refuted.map((k) => (
              <Entry key={keyOf(k)} kept={k} looked={looked.get(k.service)} />
            ))}
          </ol>
        </>
      )}
      <Looks answer={answer} />
    </>
  );
}

// analysed is the time that the newest analysis was of: that of the other views means nothing here.
function analysed({ runs }: Answer): string {
  const last = runs.reduce((a, r) => (r.to > a.to ? r : a), { from: "", to: "" });
  return last.to === "" ? "" : ` · analysed: ${rangeText(last.from, last.to, Date.parse)}`;
}

// isSmall says of a finding with an estimate that it is not worth a line; one without, by what
// all of it costs.
function isSmall(k: Kept): boolean {
  return (coresBack(k)?.high ?? coresOf(k)) < LEAST;
}

// coresRange is what may come back: nothing at least, whatever the estimate's lower end.
function coresRange({ low, high }: { low: number; high: number }): string {
  const [a, b] = [coresText(Math.max(0, low)), coresText(Math.max(0, high))];
  return a === b ? a : `${a} – ${b}`;
}

const upTo = (back: { high: number }, prices: Prices): string =>
  `up to ${yearly(back.high, prices)} a year`;

// coresOfWhen says of which time a finding's cores are: not of now, nor of the other views'.
const coresOfWhen = (looked: string | undefined): string =>
  looked === undefined ? "cores" : `cores, analysed ${ago(Date.parse(looked), moment.value)}`;

// Narrowed says which filters mean nothing here: a finding is one of a service.
function Narrowed() {
  const { filters } = address.value;
  const others = DIMENSIONS.filter((d) => d !== "service" && filters[d] !== undefined);
  if (others.length === 0) return null;
  return (
    <p class="hint" role="note">
      The rules judge whole services, so the filter by {others.join(" and ")} does not narrow this
      list.
    </p>
  );
}

const STEPS = ["suspected", "confirmed", "proved"] as const;

// Ladder says how sure a finding is: in words, and by how many of three marks are full.
export function Ladder({ certainty }: { certainty: Kept["finding"]["certainty"] }) {
  const reached = STEPS.findIndex((s) => s === certainty);
  return (
    <span class={`badge ${certainty}`}>
      <span aria-hidden="true" class="steps-reached">
        {certainty === "refuted" ? "✕" : STEPS.map((_, i) => (i <= reached ? "●" : "○")).join("")}
      </span>{" "}
      {certainty}
    </span>
  );
}

interface EntryProps {
  kept: Kept;
  rank?: number;
  looked: string | undefined; // when the service was analysed last
}

function Entry({ kept: k, rank, looked }: EntryProps) {
  const key = keyOf(k);
  const open = address.value.own[OPEN] === key;
  const f = k.finding;
  const back = coresBack(k);
  const prices = usePrices();
  const place = where({
    ...f.place,
    ...(f.place.function !== undefined && { function: shortName(f.place.function) }),
  });
  return (
    <li class={`card ${f.certainty}${k.active ? "" : " gone"}`}>
      <h3>
        <button
          type="button"
          class="finding-row"
          aria-expanded={open}
          onClick={() => {
            (open ? adjust : go)(ownChange({ [OPEN]: open ? "" : key }));
          }}
        >
          <span class="rank" aria-hidden="true">
            {rank ?? ""}
          </span>
          <span class="what">
            <span class="title">{f.title}</span>
            <span class="of">
              {k.service}
              {place !== "" && <> · {place}</>}
            </span>
          </span>
          <span class="figure">
            <span>{k.active ? coresText(coresOf(k)) : "gone"}</span>
            <small>
              {k.active
                ? coresOfWhen(looked)
                : `since ${ago(Date.parse(k.last_seen), moment.value)}`}
            </small>
            {k.active && prices && coresOf(k) > 0 && (
              <small>{yearly(coresOf(k), prices)} a year</small>
            )}
          </span>
          <span class="figure">
            {back && k.active && (
              <>
                <span>{coresRange(back)}</span>
                <small>potential savings</small>
                {prices && back.high > 0 && <small>{upTo(back, prices)}</small>}
              </>
            )}
          </span>
          <Ladder certainty={f.certainty} />
        </button>
      </h3>
      {open && <Card id={f.id} service={k.service} listed={k} />}
    </li>
  );
}

// Looks says when the rules looked, and what came of it: also silence is an answer.
function Looks({ answer }: { answer: Answer }) {
  const { runs } = answer;
  const few = answer.few_samples ?? 0;
  if (runs.length === 0) return null;
  return (
    <details class="looks">
      <summary>Analysis history</summary>
      {few > 0 && (
        <p class="hint">
          Not analysed: {counted(few, "service")} with fewer than 10 samples, as many as a finding
          needs.
        </p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">service</th>
            <th scope="col">looked</th>
            <th scope="col" class="number">
              samples
            </th>
            <th scope="col">what was checked</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((r) => (
            <tr key={r.service}>
              <th scope="row">{r.service}</th>
              <td>{ago(Date.parse(r.time), moment.value)}</td>
              <td class="number">{r.samples.toLocaleString("en-US")}</td>
              <td>
                {r.failed ? "The look failed; the server's log says why." : (r.looked_at ?? "")}
                {(r.notes ?? []).map((n) => (
                  <span key={n} class="note">
                    {n}
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Nothing({ answer }: { answer: Answer | undefined }) {
  const runs = answer?.runs ?? [];
  if (search.value.expression !== null) return <Empty title="No finding matches the search." />;
  if (runs.length === 0)
    return (
      <Empty title="Not analysed yet.">
        <p>They look every 15 minutes unless the server was told otherwise (--rules-every).</p>
        <p>To look at a service now:</p>
        <Command text={`whyhot explain --from ${location.origin} --service NAME`} />
      </Empty>
    );
  return (
    <>
      <Empty title="No finding.">
        <p>Analysed: nothing found that is worth a change.</p>
      </Empty>
      {answer && <Looks answer={answer} />}
    </>
  );
}
