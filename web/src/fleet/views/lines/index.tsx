// Where in a function the time goes: line by line with the source, or by address where
// the binary tells no lines. What the analyser found in a loop stands at its lines.

import { useCallback, useEffect, useState } from "preact/hooks";
import { basename } from "../../../data/measure";
import { counted, percent } from "../../../format/number";
import { useAnswer } from "../../api/answer";
import { Answered } from "../../parts/answered";
import { kept, type Kept } from "../../parts/finding";
import { Worlds } from "../../parts/findingdetails";
import { sign } from "../../parts/findingwords";
import { FindingLink } from "../../parts/findinglink";
import { FunctionChoice } from "../../parts/functionchoice";
import { Go } from "../../parts/go";
import { FunctionHeading } from "../../parts/functionheading";
import { cores, coresText, Precision, shareOf, type Basis } from "../../parts/measure";
import { NotRun } from "../../parts/nosamples";
import { Bill, usePrices, type Prices } from "../../parts/prices";
import { useFocusStep, useFound } from "../../parts/searching";
import { selection } from "../../state/address";
import { address } from "../../state/navigation";
import { search } from "../../state/search";
import { columnsOf, Costs, CostTable } from "./costs";
import { Fold } from "./fold";
import {
  about,
  addresses,
  files,
  named,
  rows,
  type Answer,
  type Cost,
  type File,
  type Row,
} from "./listing";
import type { Hits, Report } from "./hits";
import { MachineCode } from "./machinecode";
import { Named } from "./named";

export function Lines() {
  const { fn } = address.value;
  return fn === 0 ? <FunctionChoice title="Whose lines?" /> : <OfFunction fn={fn} />;
}

function OfFunction({ fn }: { fn: number }) {
  const a = address.value;
  const asked = useAnswer("/api/v1/lines", { ...selection(a), function: fn });
  const services = a.filters.service ?? [];
  const found = useAnswer(
    "/api/v1/findings",
    services.length === 1 ? { service: services[0] } : {},
  );
  const findings = found.value === undefined ? [] : kept(found.value);
  return (
    <section class="lines">
      <Answered
        asked={asked}
        empty={(v) => v.lines.length === 0}
        otherwise={(v) => <NotRun basis={v.basis} />}
      >
        {(answer) => <Listing answer={answer} findings={findings} />}
      </Answered>
    </section>
  );
}

// Kinds of code that a file of machine code may hold.
const NATIVE: ReadonlySet<string> = new Set(["native", "go", "unknown"]);

function Listing({ answer, findings }: { answer: Answer; findings: readonly Kept[] }) {
  const { basis, function: fn } = answer;
  const all = files(answer);
  const without = addresses(answer);
  const names = named(answer);
  const report = useHits(basis);
  return (
    <>
      <header>
        <FunctionHeading fn={fn} />
        <p class="facts">
          <b>{percent(shareOf(answer.total, basis))}</b> of all CPU with what it calls, itself{" "}
          <b>{percent(shareOf(answer.self, basis))}</b> ({coresText(cores(answer.self, basis))}{" "}
          cores
          <Bill weight={answer.self} basis={basis} />) ·{" "}
          <Go to={{ view: "callgraph" }}>call graph</Go>
        </p>
        <Precision basis={basis} />
      </header>
      {all.map((f, i) => (
        <OfFile
          key={f.file}
          file={f}
          basis={basis}
          findings={about(findings, f, fn.name)}
          first={i === 0}
          report={report}
        />
      ))}
      {without.length > 0 && <Addresses list={without} basis={basis} alone={all.length === 0} />}
      {names.length > 0 && (
        <Named
          weight={names.reduce((sum, l) => sum + l.self, 0)}
          basis={basis}
          all={names.length === answer.lines.length}
          what="lines"
        />
      )}
      {NATIVE.has(fn.kind) && (
        <MachineCode fn={fn.id} alone={all.length === 0 && without.length > 0} report={report} />
      )}
    </>
  );
}

// useHits says what the search found in the parts that are open, which tell it, and has
// next and previous go from line to line.
function useHits(basis: Basis): Report {
  const [parts, setParts] = useState<ReadonlyMap<string, Hits>>(new Map());
  const report = useCallback((part: string, hits: Hits) => {
    setParts((before) => new Map(before).set(part, hits));
  }, []);
  const all = [...parts.values()];
  const lines = all.reduce((sum, h) => sum + h.lines, 0);
  const share = percent(
    shareOf(
      all.reduce((sum, h) => sum + h.self, 0),
      basis,
    ),
  );
  useFound(
    search.value.expression === null ? null : { text: `${share} in ${counted(lines, "line")}` },
  );
  useFocusStep(".lines tr.hit");
  return report;
}

interface OfFileProps {
  file: File;
  basis: Basis;
  findings: readonly Kept[];
  first: boolean;
  report: Report;
}

const FOLDED = 5; // files whose code was inlined: more lines are behind a button

function OfFile({ file, basis, findings, first, report }: OfFileProps) {
  const source = useAnswer("/api/v1/source", { file: file.file });
  const [whole, setWhole] = useState(false);
  const prices = usePrices();
  const text = source.value?.text?.split("\n");
  const list = rows(file, text, findings, whole);
  const hottest = Math.max(1, ...file.lines.map((l) => l.self));
  const known = list.some((r) => r.text !== undefined);
  const { expression } = search.value;
  const isHit = (r: Row): boolean =>
    expression !== null && (expression.test(r.text ?? "") || expression.test(file.file));
  const hits = list.filter(isHit);
  const self = hits.reduce((sum, r) => sum + (r.cost?.self ?? 0), 0);
  const [open, setOpen] = useState(first || findings.length > 0 || file.lines.length <= FOLDED);
  const lines = open ? hits.length : 0;
  useEffect(() => {
    report(file.file, { lines, self: lines > 0 ? self : 0 });
  }, [report, file.file, lines, self]);
  return (
    <Fold
      title={file.file}
      beside={`${first ? "" : "inlined, "}${percent(shareOf(file.self, basis))} itself`}
      open={open}
      onToggle={() => {
        setOpen(!open);
      }}
    >
      <CostTable
        label={`lines of ${basename(file.file)}`}
        calls
        prices={prices}
        columns={[
          ["line", true],
          [known ? "source" : "", false],
        ]}
      >
        {list.map((r) => (
          <Line
            key={r.line}
            row={r}
            basis={basis}
            hottest={hottest}
            prices={prices}
            hit={isHit(r)}
          />
        ))}
      </CostTable>
      {text !== undefined && (
        <button
          type="button"
          onClick={() => {
            setWhole(!whole);
          }}
        >
          {whole ? "Only what ran" : `All ${counted(text.length, "line")}`}
        </button>
      )}
      {!known && source.value !== undefined && (
        <p class="hint">
          {source.value.sources
            ? "No source directory of the server has this file."
            : "The server has no source files: started with --source DIR, it shows them here."}
        </p>
      )}
      {findings.map((k) => (
        <Found key={`${k.finding.id}@${k.service}`} kept={k} />
      ))}
    </Fold>
  );
}

interface LineProps {
  readonly row: Row;
  readonly basis: Basis;
  readonly hottest: number;
  readonly prices: Prices | null;
  readonly hit: boolean; // of the search
}

function Line({ row, basis, hottest, prices, hit }: LineProps) {
  const { cost } = row;
  return (
    <>
      {row.gap && (
        <tr class="gap">
          <td colSpan={columnsOf(true, prices, 2)}>⋮</td>
        </tr>
      )}
      <tr
        class={`${row.loop ? "loop" : ""} ${cost ? "ran" : ""} ${hit ? "hit" : ""}`}
        tabIndex={hit ? -1 : undefined}
      >
        <Costs of={cost} basis={basis} hottest={hottest} calls prices={prices} />
        <td class="number">{row.line}</td>
        <td class="text">
          {row.marks.map((role) => (
            <b key={role} class={`sign s${sign(role)}`}>
              {sign(role)}
            </b>
          ))}
          <code>{row.text?.replaceAll("\t", "    ") ?? ""}</code>
        </td>
      </tr>
    </>
  );
}

// Found is a finding at its lines: what it says, its worlds, and the way to all of it.
function Found({ kept: k }: { kept: Kept }) {
  const f = k.finding;
  return (
    <aside class={`found-here ${f.certainty}`}>
      <p>
        <span class={`badge ${f.certainty}`}>{f.certainty}</span> <FindingLink kept={k} />{" "}
        <small>{k.service}</small>
      </p>
      {(f.worlds ?? []).length > 0 && <Worlds worlds={f.worlds ?? []} />}
    </aside>
  );
}

function Addresses({
  list,
  basis,
  alone,
}: {
  list: readonly Cost[];
  basis: Basis;
  alone: boolean;
}) {
  const hottest = Math.max(1, ...list.map((l) => l.self));
  const prices = usePrices();
  return (
    <section class="file">
      <h3>{alone ? "Addresses" : "Addresses without a line"}</h3>
      {alone && (
        <p class="hint">
          The binary tells no lines. With its debug information (whyhot agent --debuginfo full, or
          --debug-dir and --debuginfod of the server) they are shown.
        </p>
      )}
      <CostTable
        label="addresses"
        calls
        prices={prices}
        columns={[
          ["offset", true],
          ["binary", false],
        ]}
      >
        {list.map((l) => (
          <tr key={`${l.binary ?? ""} ${l.offset ?? 0}`} class="ran">
            <Costs of={l} basis={basis} hottest={hottest} calls prices={prices} />
            <td class="number">0x{(l.offset ?? 0).toString(16)}</td>
            <td class="text">{l.binary}</td>
          </tr>
        ))}
      </CostTable>
    </section>
  );
}
