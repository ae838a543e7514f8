// What is hot, function by function: from all samples of the selection, not from a tree.

import { useAnswer } from "../../api/answer";
import type { Answer } from "../../api/client";
import { basename } from "../../../data/measure";
import { integer, percent } from "../../../format/number";
import { Answered } from "../../parts/answered";
import { Empty } from "../../parts/failure";
import { FunctionName, select } from "../../parts/functionname";
import { Cores, Precision, Share, shareOf } from "../../parts/measure";
import { useFound } from "../../parts/searching";
import { Table, type Column, type Sort } from "../../parts/table";
import { selection } from "../../state/address";
import { address, go, ownChange } from "../../state/navigation";
import { search } from "../../state/search";

type Top = Answer<"/api/v1/top">;
type Row = Top["rows"][number];

const ROWS = 1000;

export function TopView() {
  const { own } = address.value;
  const sort = own["top.sort"] === "total" ? "total" : "self";
  const { pattern } = search.value;
  const asked = useAnswer("/api/v1/top", {
    ...selection(address.value),
    sort,
    limit: ROWS,
    match: pattern === "" ? undefined : pattern,
  });
  const { value } = asked;
  useFound(
    pattern !== "" && value
      ? {
          text: `${percent(shareOf(value.matched_total, value.basis))} in ${integer(value.matched)} functions`,
        }
      : null,
  );
  return (
    <Answered asked={asked} empty={(v) => v.basis.value === 0}>
      {(top) => <Functions top={top} />}
    </Answered>
  );
}

function Functions({ top }: { top: Top }) {
  const { basis, sort } = top;
  const number = (name: "self" | "total", title: string): Column<Row> => ({
    name,
    title,
    width: "minmax(92px, 128px)",
    class: "number",
    sorts: "descending",
    cell: (r) => (
      <Share weight={r[name]} basis={basis} {...(sort === name ? { error: r.error } : {})} />
    ),
  });
  const columns: Column<Row>[] = [
    number("self", "Self"),
    number("total", "Total"),
    {
      name: "cores",
      title: "Cores",
      width: "64px",
      class: "number",
      cell: (r) => <Cores weight={r[sort]} basis={basis} />,
    },
    {
      name: "name",
      title: "Function",
      width: "minmax(0, 1fr)",
      cell: (r) => <FunctionName fn={r.function} />,
    },
    {
      name: "binary",
      title: "Binary",
      width: "minmax(0, 22%)",
      class: "quiet",
      cell: (r) => <span title={r.function.binary}>{basename(r.function.binary ?? "")}</span>,
    },
  ];
  const sorted: Sort = { by: sort, direction: "descending" };
  return (
    <>
      <div class="view-head">
        <Precision basis={basis} />
        <span class="quiet">{integer(top.functions)} functions</span>
      </div>
      <Table
        label="Functions by CPU"
        columns={columns}
        rows={top.rows}
        keyOf={(r) => r.function.id}
        sort={sorted}
        onSort={(s) => {
          go(ownChange({ "top.sort": s.by === "total" ? "total" : "" }));
        }}
        selected={address.value.fn}
        onSelect={(r) => {
          select(r.function);
        }}
        onOpen={(r) => {
          go({ view: "sandwich", fn: r.function.id });
        }}
        onControl={(r) => {
          go({ view: "callgraph", fn: r.function.id });
        }}
        empty={<Empty title="No function matches." />}
      />
    </>
  );
}
