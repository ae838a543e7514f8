// Where the CPU of the fleet goes: over time, by any label, and what of it could come back.

import { useMemo } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import type { Answer } from "../../api/client";
import { counted, integer } from "../../../format/number";
import { TITLES } from "../../parts/dimensions";
import { Answered } from "../../parts/answered";
import { cores, Cores, Precision, Share, type Basis } from "../../parts/measure";
import { costColumn, usePrices } from "../../parts/prices";
import { useFound } from "../../parts/searching";
import { Table, type Column } from "../../parts/table";
import { DIMENSIONS, selection, type Address } from "../../state/address";
import { absolute, format } from "../../state/moment";
import { address, go, ownChange } from "../../state/navigation";
import { search } from "../../state/search";
import { theme } from "../../state/theme";
import { Chart } from "../../parts/timeline/chart";
import { lineColor } from "../../parts/timeline/colors";
import { linesOf, type Line } from "../../parts/timeline/lines";
import { ByChoice, titleOf } from "../../parts/bychoice";
import { joined } from "../../parts/conditions";
import { Spark } from "../../parts/spark";
import { Side } from "./side";

const BY = "overview.by";
type Labels = Answer<"/api/v1/labels/{dimension}">;
type Value = Labels["values"][number];

export function Overview() {
  const a = address.value;
  const by = a.own[BY] ?? "service";
  const question = { ...selection(a), by, lines: 10 };
  const fine = useAnswer("/api/v1/timeline", question);
  // Sums by the hour are there at once: they are shown until those by the minute come.
  const coarse = useAnswer("/api/v1/timeline", long(a) ? { ...question, step: "1h" } : null);
  const over = fine.busy && !coarse.busy && coarse.value ? coarse : fine;
  const labels = useAnswer("/api/v1/labels/{dimension}", { ...selection(a), dimension: by });
  return (
    <div class="overview">
      <Answered asked={over} empty={(v) => v.basis.value === 0}>
        {(timeline) => (
          <>
            <div class="view-head">
              <Precision basis={timeline.basis} />
              <Switch by={by} />
            </div>
            <Shown timeline={timeline} by={by} labels={labels.value} />
          </>
        )}
      </Answered>
    </div>
  );
}

// long says that a range is one of which hours can be shown, and minutes take a while.
function long(a: Address): boolean {
  const hours = (Date.parse(absolute(a.to)) - Date.parse(absolute(a.from))) / 3_600_000;
  return hours > 12 && hours < 120;
}

function Switch({ by }: { by: string }) {
  const other = DIMENSIONS.every((d) => d !== by);
  const choose = (key: string): void => {
    go(ownChange({ [BY]: key === "service" ? "" : key }));
  };
  return (
    <div class="segments" role="group" aria-label="CPU by">
      {DIMENSIONS.map((d) => (
        <button
          key={d}
          type="button"
          aria-pressed={d === by}
          onClick={() => {
            choose(d);
          }}
        >
          {TITLES[d]}
        </button>
      ))}
      <ByChoice
        label="CPU by another label"
        none="Other label…"
        by={other ? by : ""}
        without={DIMENSIONS}
        choose={choose}
      />
    </div>
  );
}

interface ShownProps {
  readonly timeline: Answer<"/api/v1/timeline">;
  readonly by: string;
  readonly labels: Labels | undefined;
}

function Shown({ timeline, by, labels }: ShownProps) {
  const lines = useMemo(() => linesOf(timeline), [timeline]);
  const all = lines.lines.reduce((sum, l) => sum + l.weight, 0);
  const first = lines.lines[0];
  return (
    <>
      <Chart
        shown={lines}
        label={`Cores over time by ${by}: ${String(lines.lines.length)} lines, most in ${first ? nameOf(first.value) : "none"}`}
        choose={(from, to) => {
          go({ from: format(from * 1000), to: format(to * 1000) });
        }}
      />
      <div class="overview-lists">
        <Values
          by={by}
          rows={labels?.values ?? fromLines(lines.lines)}
          lines={new Map(lines.lines.filter((l) => !l.others).map((l) => [l.value, l]))}
          basis={{ ...timeline.basis, value: all }}
        />
        <Side />
      </div>
    </>
  );
}

// fromLines stands in until all values are there.
function fromLines(lines: readonly Line[]): Value[] {
  return lines
    .filter((l) => !l.others)
    .map((l) => ({ value: l.value, weight: l.weight, count: 0, first: "", last: "" }));
}

function nameOf(value: string): string {
  return value === "" ? "(none)" : value;
}

function Values(props: {
  readonly by: string;
  readonly rows: readonly Value[];
  readonly lines: ReadonlyMap<string, Line>;
  readonly basis: Basis;
}) {
  const { by, lines, basis } = props;
  const prices = usePrices();
  const { expression } = search.value;
  const rows = props.rows.filter((r) => expression === null || expression.test(nameOf(r.value)));
  useFound(
    expression === null
      ? null
      : { text: `${integer(rows.length)} of ${counted(props.rows.length, by)}` },
  );
  const narrow = (value: string): void => {
    const { filters, where } = address.peek();
    const d = DIMENSIONS.find((d) => d === by);
    go(d ? { filters: { ...filters, [d]: [value] } } : { where: joined(where, by, value) });
  };
  const columns: Column<Value>[] = [
    {
      name: "value",
      title: titleOf(by),
      width: "minmax(90px, 1fr)",
      cell: (r) => {
        const l = lines.get(r.value);
        return (
          <span class="labelled">
            <i
              class="swatch"
              title={l ? undefined : "In the band of all others"}
              style={{ background: lineColor(l?.color ?? 0, l === undefined, theme.value) }}
            />
            <button
              type="button"
              class="link clip"
              tabIndex={-1}
              title={`Only ${nameOf(r.value)}`}
              onClick={() => {
                narrow(r.value);
              }}
            >
              {nameOf(r.value)}
            </button>
          </span>
        );
      },
    },
    {
      name: "spark",
      title: "Over time",
      width: "minmax(0, 104px)",
      class: "spark-cell",
      wide: true,
      cell: (r) => {
        const l = lines.get(r.value);
        return l && <Spark values={l.cores} label={`cores of ${nameOf(r.value)} over time`} />;
      },
    },
    {
      name: "cores",
      title: "Cores",
      width: "56px",
      class: "number",
      cell: (r) => <Cores weight={r.weight} basis={basis} />,
    },
    ...costColumn<Value>(prices, (r) => cores(r.weight, basis)),
    {
      name: "share",
      title: "Share",
      width: "minmax(64px, 120px)",
      class: "number",
      cell: (r) => <Share weight={r.weight} basis={basis} />,
    },
  ];
  return (
    <section aria-label={`CPU by ${by}`}>
      <Table
        label={`CPU by ${by}: Enter shows only that one`}
        columns={columns}
        rows={rows}
        keyOf={(r) => r.value}
        onOpen={(r) => {
          narrow(r.value);
        }}
        empty={<p class="quiet padded">No {by} matches.</p>}
      />
    </section>
  );
}
