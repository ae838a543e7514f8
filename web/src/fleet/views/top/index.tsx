// What is hot, function by function: from all samples of the functionSelection, not from a tree.

import { useAnswer } from "../../api/answer";
import type { Answer } from "../../api/client";
import { basename } from "../../../data/measure";
import { counted, integer, percent } from "../../../format/number";
import { Answered } from "../../parts/answered";
import { Empty } from "../../parts/failure";
import { onFunctionMenu } from "../../parts/functionmenu";
import { FunctionName, nameOf, select } from "../../parts/functionname";
import { cores, Cores, Precision, Share, shareOf } from "../../parts/measure";
import { costColumn, usePrices } from "../../parts/prices";
import { useFound } from "../../parts/searching";
import { Spark } from "../../parts/spark";
import { Table, type Column } from "../../parts/table";
import { functionSelection } from "../../state/address";
import { address, go, ownChange } from "../../state/navigation";
import { search } from "../../state/search";
import { Classes } from "./classes";
import { useHistory } from "./history";

type Top = Answer<"/api/v1/top">;
type Row = Top["rows"][number];

const ROWS = 1000;
const ALL = 100_000;
// What only this view keeps in the address.
const SORT = "top.sort";
const ORIGIN = "top.origin";
const FAMILY = "top.family";
const MORE = "top.all";

export function TopView() {
  const { own } = address.value;
  const sort = own[SORT] === "total" ? "total" : "self";
  const { pattern } = search.value;
  const asked = useAnswer("/api/v1/top", {
    ...functionSelection(address.value),
    sort,
    limit: own[MORE] === "true" ? ALL : ROWS,
    match: pattern === "" ? undefined : pattern,
    origin: list(own[ORIGIN]),
    family: list(own[FAMILY]),
  });
  const { value } = asked;
  useFound(
    pattern !== "" && value
      ? {
          text: `${percent(shareOf(value.matched_total, value.basis))} in ${counted(value.matched, "function")}`,
        }
      : null,
  );
  return (
    <Answered asked={asked} empty={(v) => v.basis.value === 0}>
      {(top) => <Functions top={top} />}
    </Answered>
  );
}

function list(text: string | undefined): readonly string[] | undefined {
  return text === undefined || text === "" ? undefined : text.split("|");
}

function Functions({ top }: { top: Top }) {
  const { basis, sort } = top;
  const { own, fn } = address.value;
  const prices = usePrices();
  const { history, show } = useHistory(sort);
  const choose = (name: string) => (chosen: readonly string[]) => {
    go(ownChange({ [name]: chosen.join("|") }));
  };
  return (
    <>
      <div class="view-head">
        <Precision basis={basis} />
        <Classes
          title="Whose code"
          classes={top.origins}
          basis={basis}
          chosen={list(own[ORIGIN]) ?? []}
          onChoose={choose(ORIGIN)}
          swatches
        />
        <Classes
          title="What it does"
          classes={top.families}
          basis={basis}
          chosen={list(own[FAMILY]) ?? []}
          onChoose={choose(FAMILY)}
        />
        <Count top={top} />
      </div>
      <Table
        label="Functions by CPU"
        columns={columnsOf(top, history, prices)}
        rows={top.rows}
        keyOf={(r) => r.function.id}
        sort={{ by: sort, direction: "descending" }}
        onSort={(s) => {
          go(ownChange({ [SORT]: s.by === "total" ? "total" : "" }));
        }}
        {...(fn === 0 ? {} : { selected: fn })}
        onSelect={(r) => {
          select(r.function);
        }}
        onOpen={(r) => {
          go({ view: "sandwich", fn: r.function.id });
        }}
        onControl={(r) => {
          go({ view: "callgraph", fn: r.function.id });
        }}
        onMenu={(e, r) => {
          onFunctionMenu(e, r.function);
        }}
        onVisible={(rows) => {
          show(rows.map((r) => r.function.id));
        }}
        empty={<NoFunction />}
      />
    </>
  );
}

// Count says how many functions are shown of how many, and what they took.
function Count({ top }: { top: Top }) {
  const { rows, matched, functions, matched_self, basis } = top;
  const narrowed = matched < functions;
  return (
    <span class="quiet">
      {narrowed && `${integer(matched)} of `}
      {counted(functions, "function")}
      {narrowed && `, ${percent(shareOf(matched_self, basis))} self`}
      {rows.length < matched && (
        <>
          , the first {integer(rows.length)} shown{" "}
          <button
            type="button"
            class="link"
            onClick={() => {
              go(ownChange({ [MORE]: "true" }));
            }}
          >
            Show all
          </button>
        </>
      )}
    </span>
  );
}

function NoFunction() {
  const clear = ownChange({ [ORIGIN]: "", [FAMILY]: "" });
  return (
    <Empty title="No function matches.">
      <button
        type="button"
        onClick={() => {
          go({ query: "", ...clear });
        }}
      >
        Clear the search and the choice of code
      </button>
    </Empty>
  );
}

function columnsOf(
  top: Top,
  history: ReadonlyMap<number, readonly number[]>,
  prices: ReturnType<typeof usePrices>,
): Column<Row>[] {
  const { basis, sort } = top;
  const number = (name: "self" | "total", title: string, hint: string): Column<Row> => ({
    name,
    title,
    hint,
    width: "minmax(58px, min(128px, 9vw))",
    class: "number",
    sorts: "descending",
    cell: (r) => (
      <Share weight={r[name]} basis={basis} {...(sort === name ? { error: r.error } : {})} />
    ),
  });
  return [
    number("self", "Self", "CPU in the function itself"),
    number("total", "Total", "CPU in it and in what it calls"),
    {
      name: "cores",
      title: "Cores",
      hint: `Cores that it kept busy (${sort})`,
      width: "56px",
      class: "number",
      wide: true,
      cell: (r) => <Cores weight={r[sort]} basis={basis} />,
    },
    ...costColumn<Row>(prices, (r) => cores(r[sort], basis)),
    {
      name: "history",
      title: "Over time",
      width: "96px",
      wide: true,
      cell: (r) => (
        <Spark
          values={history.get(r.function.id) ?? []}
          label={`${nameOf(r.function)} over time`}
        />
      ),
    },
    {
      name: "name",
      title: "Function",
      width: "minmax(0, 1fr)",
      cell: (r) => <FunctionName fn={r.function} />,
    },
    {
      name: "family",
      title: "What it does",
      width: "minmax(0, 146px)",
      class: "quiet",
      wide: true,
      cell: (r) => r.family,
    },
    {
      name: "binary",
      title: "Binary",
      width: "minmax(0, 11%)",
      class: "quiet",
      wide: true,
      cell: (r) => <span title={r.function.binary}>{basename(r.function.binary ?? "")}</span>,
    },
  ];
}
