// Two times, versions, services or hosts, function by function: shares and cores, and
// what of the difference is beyond the error of sampling.

import { basename } from "../../../data/measure";
import { shortName } from "../../../format/name";
import { counted, integer, percent, percentError } from "../../../format/number";
import { questionOf, useAnswer } from "../../api/answer";
import { ask, type Answer } from "../../api/client";
import { Answered } from "../../parts/answered";
import { Empty } from "../../parts/failure";
import { onFunctionMenu } from "../../parts/functionmenu";
import { cores, coresText, Exactness } from "../../parts/measure";
import { yearly, usePrices, type Prices } from "../../parts/prices";
import { useFound } from "../../parts/searching";
import { Table, type Column } from "../../parts/table";
import { functionSelection, selection, type Parameters, type ViewName } from "../../state/address";
import { moment } from "../../state/moment";
import { address, go, ownChange } from "../../state/navigation";
import { matches, search } from "../../state/search";
import { AsGraph } from "./asgraph";
import { Controls } from "./controls";
import { byOf, half, OWN, question, sidesOf, without } from "./sides";
import { Young } from "./young";

type Diff = Answer<"/api/v1/diff">;
type Row = Diff["rows"][number];

const MANY = 5000; // rows that are asked for

export function Compare() {
  const a = address.value;
  const by = byOf(a);
  const values = useAnswer(
    "/api/v1/labels/{dimension}",
    by === "time" ? null : { ...without(selection(a), by), dimension: by },
  );
  const sides = by === "time" ? undefined : sidesOf(a, values.value?.values ?? []);
  const asks = question(a, functionSelection(a), moment.value, sides);
  const sort = a.own[OWN.sort] === "total" ? "total" : "self";
  const asked = useAnswer("/api/v1/diff", asks && { ...asks, sort, limit: MANY });
  return (
    <section class="compare">
      <Controls by={by} values={values.value?.values ?? []} sides={sides} />
      {asks === null ? (
        <Answered asked={values}>
          {() => (
            <Empty title={`There are not two values of ${by} to compare in this selection.`}>
              <p>Another time or fewer filters may have them, or compare by something else.</p>
            </Empty>
          )}
        </Answered>
      ) : by === "time" &&
        asked.error?.status === 404 &&
        (asked.value === undefined || asked.stale) ? (
        <Young />
      ) : (
        <Answered asked={asked} empty={(d) => d.rows.length === 0}>
          {(diff) => <Result diff={diff} asks={asks} />}
        </Answered>
      )}
    </section>
  );
}

function Result({ diff, asks }: { diff: Diff; asks: Parameters }) {
  const a = address.value;
  const prices = usePrices();
  const { expression } = search.value;
  const sure = a.own[OWN.sure] === "true";
  const beyond = diff.rows.filter((r) => r.significant).length;
  const rows = diff.rows.filter(
    (r) => (!sure || r.significant) && (expression === null || matches(expression, r)),
  );
  const found =
    expression === null
      ? null
      : `${counted(rows.length, "function")}${diff.sort === "self" ? `, ${percent(total(rows, "before"))} → ${percent(total(rows, "after"))}` : ""}`;
  const asGraph = a.own[OWN.show] === "flame";
  const [before, after] = [
    cores(diff.before.value, diff.before),
    cores(diff.after.value, diff.after),
  ];
  return (
    <>
      <p class="facts">
        <b>{coresText(before)}</b> → <b>{coresText(after)}</b> cores
        {before > 0 && ` (${after >= before ? "+" : "−"}${percent(Math.abs(after / before - 1))})`}
        {prices !== null && ` · ${yearly(before, prices)} → ${yearly(after, prices)} a year`} ·{" "}
        <b>{beyond}</b> of {counted(diff.functions, "function")} differ in their share beyond
        sampling error
        {beyond > 0 && ` (of these, ${percent(diff.false_discovery_rate)} by chance)`} ·{" "}
        {integer(diff.before.count)} → {integer(diff.after.count)} samples,{" "}
        <Exactness of={[diff.before, diff.after]} />
      </p>
      <div class="choices">
        <Toggle
          label="Shown as"
          name={OWN.show}
          choices={[
            ["", "table"],
            ["flame", "flame graph"],
          ]}
        />
        {!asGraph && (
          <>
            <Toggle
              label="Shares are compared"
              name={OWN.sort}
              choices={[
                ["", "itself"],
                ["total", "with what it calls"],
              ]}
            />
            <label class="check">
              <input
                type="checkbox"
                checked={sure}
                onChange={() => {
                  go(ownChange({ [OWN.sure]: sure ? "" : "true" }));
                }}
              />{" "}
              only what is beyond sampling error
            </label>
            <span class="hint key">
              <Mark row={{ delta: 1, significant: true }} /> more,{" "}
              <Mark row={{ delta: -1, significant: true }} /> less, beyond sampling error ·{" "}
              <Mark row={{ delta: 1, significant: false }} /> within it
            </span>
          </>
        )}
      </div>
      {asGraph ? (
        <AsGraph asks={asks} found={found} />
      ) : (
        <AsTable diff={diff} rows={rows} asks={asks} found={found} />
      )}
    </>
  );
}

interface TableProps {
  diff: Diff;
  rows: readonly Row[];
  asks: Parameters;
  found: string | null;
}

function AsTable({ diff, rows, asks, found }: TableProps) {
  const prices = usePrices();
  useFound(found === null ? null : { text: found });
  return (
    <Table
      label="functions by the difference of their shares"
      columns={columns(diff, prices)}
      rows={rows}
      keyOf={keyOf}
      onOpen={(r) => void open(r, asks, "sandwich")}
      onControl={(r) => void open(r, asks, "callgraph")}
      onMenu={(e, r) => void menu(e, r, asks)}
      rowClass={(r) => (r.significant ? "sure" : "noise")}
      empty={<p class="hint">No function is left: clear the search, or show all.</p>}
    />
  );
}

const keyOf = (r: Row): string => `${r.name}\n${r.binary ?? ""}\n${r.file ?? ""}`;

// Shares with what is called overlap: only those of functions themselves add up.
function total(rows: readonly Row[], side: "before" | "after"): number {
  return rows.reduce((sum, r) => sum + (r[side]?.share ?? 0), 0);
}

interface ToggleProps {
  label: string;
  name: string;
  choices: readonly (readonly [value: string, label: string])[];
}

function Toggle({ label, name, choices }: ToggleProps) {
  const now = address.value.own[name] ?? "";
  return (
    <div class="toggle" role="group" aria-label={label}>
      {choices.map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={now === value}
          onClick={() => {
            go(ownChange({ [name]: value }));
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

// Mark tells by its shape which way a share went, and by being full that it is beyond the
// error of sampling.
function Mark({ row: { delta, significant } }: { row: Pick<Row, "delta" | "significant"> }) {
  const more = delta > 0;
  const said = `${more ? "more" : "less"}, ${significant ? "beyond" : "within"} sampling error`;
  const shape = more ? "M6 1L11 10H1Z" : "M6 11L1 2H11Z";
  return (
    <svg
      class={`mark ${more ? "more" : "less"} ${significant ? "full" : "hollow"}`}
      viewBox="0 0 12 12"
      role="img"
      aria-label={said}
    >
      <title>{said}</title>
      {significant ? <path d={shape} /> : <circle cx="6" cy="6" r="2" />}
    </svg>
  );
}

function columns(diff: Diff, prices: Prices | null): readonly Column<Row>[] {
  const largest = Math.max(1e-9, ...diff.rows.map((r) => Math.abs(r.delta)));
  const coresIn = (r: Row, name: "before" | "after"): number => {
    const s = r[name];
    return s === null ? 0 : cores(diff.sort === "total" ? s.total : s.self, diff[name]);
  };
  const side = (name: "before" | "after"): Column<Row> => ({
    name,
    title: name,
    hint: `its share of the CPU ${name}, with the 95% sampling error`,
    width: "108px",
    class: "number",
    wide: true,
    cell: (r) => {
      const s = r[name];
      return s === null ? (
        <span class="none">none</span>
      ) : (
        <span class="share">
          <span>{percent(s.share)}</span> <small>{percentError(s.error)}</small>
        </span>
      );
    },
  });
  const busy = (name: "before" | "after"): Column<Row> => ({
    name: `cores-${name}`,
    title: `cores ${name}`,
    width: "88px",
    class: "number cores-column",
    wide: true,
    cell: (r) => coresText(coresIn(r, name)),
  });
  return [
    {
      name: "delta",
      title: "difference",
      hint: "in points of the share, with its 95% error",
      width: "132px",
      class: "number",
      cell: (r) => (
        <span class="share" title={fromTo(r)}>
          <Mark row={r} />
          <span>{signed(r.delta)}</span> <small>{percentError(r.error)}</small>
        </span>
      ),
    },
    {
      name: "bar",
      title: "As a bar",
      width: "90px",
      class: "diff-bar",
      wide: true,
      cell: (r) => <Bar of={r} largest={largest} />,
    },
    side("before"),
    side("after"),
    busy("before"),
    busy("after"),
    ...(prices === null
      ? []
      : [
          {
            name: "cost",
            title: "more a year",
            hint: "What the difference in cores costs in a year",
            width: "150px",
            class: "number cores-column",
            wide: true,
            cell: (r: Row) => yearly(coresIn(r, "after") - coresIn(r, "before"), prices),
          },
        ]),
    {
      name: "function",
      title: "function",
      width: "minmax(180px, 1fr)",
      cell: (r) => (
        <span title={[r.name, r.binary, r.file].filter(Boolean).join("\n")}>
          {r.name === "" ? `(unnamed in ${basename(r.binary ?? "")})` : shortName(r.name)}
        </span>
      ),
    },
    {
      name: "library",
      title: "library",
      width: "minmax(70px, 9%)",
      class: "library",
      wide: true,
      cell: (r) => basename(r.binary ?? ""),
    },
  ];
}

// fromTo is for windows without room for the columns of both sides.
function fromTo(r: Row): string {
  const side = (s: Row["before"]): string => (s === null ? "none" : percent(s.share));
  return `${side(r.before)} → ${side(r.after)}`;
}

function signed(share: number): string {
  const text = percent(Math.abs(share)).replace("<", "");
  return `${share > 0 ? "+" : share < 0 ? "−" : ""}${text}`;
}

function Bar({ of, largest }: { of: Row; largest: number }) {
  const width = (50 * Math.abs(of.delta)) / largest;
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <line x1="50" x2="50" y1="0" y2="10" />
      <rect
        class={of.delta > 0 ? "more" : "less"}
        x={of.delta > 0 ? 50 : 50 - width}
        width={width}
        height="10"
      />
    </svg>
  );
}

// The comparison goes by names; which function of the store has that name is asked when
// somebody wants to see it, on the side that has it.
async function lookUp(
  row: Row,
  asks: Parameters,
): Promise<Answer<"/api/v1/functions">["functions"][number] | undefined> {
  if (row.name === "") return undefined;
  const side = row.after === null ? "before" : "after";
  const both = Object.fromEntries(Object.entries(asks).filter(([name]) => !name.includes(".")));
  const where = { ...both, ...half(asks, side) };
  const q = ask<Answer<"/api/v1/functions">>(
    questionOf("/api/v1/functions", { ...where, q: row.name, limit: 200 }),
  );
  const { functions } = await q.answer;
  return (
    functions.find((f) => f.name === row.name && (f.binary ?? "") === (row.binary ?? "")) ??
    functions.find((f) => f.name === row.name)
  );
}

async function open(row: Row, asks: Parameters, view: ViewName): Promise<void> {
  const fn = await lookUp(row, asks);
  if (fn) go({ view, fn: fn.id });
}

async function menu(e: MouseEvent, row: Row, asks: Parameters): Promise<void> {
  e.preventDefault();
  const fn = await lookUp(row, asks);
  if (fn) onFunctionMenu(e, fn);
}
