// The machine code that a function ran: what is hot is marked, loops are bracketed. Where
// the binary is not at hand it says what to do.

import { useEffect, useState } from "preact/hooks";
import { basename } from "../../../data/measure";
import { shortName } from "../../../format/name";
import { percent, percentError } from "../../../format/number";
import { useAnswer } from "../../api/answer";
import { Answered } from "../../parts/answered";
import { Command } from "../../parts/command";
import { cores, coresText, shareOf, type Basis } from "../../parts/measure";
import { billText, usePrices } from "../../parts/prices";
import { selection } from "../../state/address";
import { address, adjust, ownChange } from "../../state/navigation";
import { search } from "../../state/search";
import { codeRows, type Code, type CodeRow, type Loop, type MachineFunction } from "./code";
import { columnsOf, Costs, CostTable } from "./costs";
import { Fold } from "./fold";
import type { Report } from "./hits";
import { Named } from "./named";

const OPEN = "lines.code";

// MachineCode is asked for where the reader wants it: a profile is read whole for it, and
// the code disassembled. Where there are no lines it is all there is.
interface Props {
  readonly fn: number;
  readonly alone: boolean;
  readonly report: Report;
}

export function MachineCode({ fn, alone, report }: Props) {
  const said = address.value.own[OPEN];
  const open = said === undefined ? alone : said === "true";
  return (
    <Fold
      title="Machine code"
      beside="instructions and loops"
      class="machine"
      open={open}
      onToggle={() => {
        adjust(ownChange({ [OPEN]: open ? "false" : "true" }));
      }}
    >
      <Asked fn={fn} report={report} />
    </Fold>
  );
}

function Asked({ fn, report }: { fn: number; report: Report }) {
  const asked = useAnswer("/api/v1/instructions", { ...selection(address.value), function: fn });
  return <Answered asked={asked}>{(code) => <Shown code={code} report={report} />}</Answered>;
}

function Shown({ code, report }: { code: Code; report: Report }) {
  const { functions, missing, left, named, notes, basis } = code;
  return (
    <>
      {functions.length + missing.length + named === 0 && (
        <p class="hint">
          None of its own samples are in a file of machine code: it only called others, or it was
          compiled while it ran.
        </p>
      )}
      {functions.map((f) => (
        <OfFunction
          key={`${f.binary} ${f.start}`}
          of={f}
          basis={basis}
          inlined={f.name !== code.function.name}
          report={report}
        />
      ))}
      {left > 0 && (
        <p class="hint">
          It was inlined into {left} more functions, in which fewer of its samples are.
        </p>
      )}
      {notes.map((n) => (
        <p key={n} class="hint">
          {n}
        </p>
      ))}
      {named > 0 && (
        <Named
          weight={named}
          basis={basis}
          all={functions.length + missing.length === 0}
          what="instructions"
        />
      )}
      {missing.map((m) => (
        <Missing key={`${m.binary} ${m.build_id ?? ""}`} {...m} basis={basis} />
      ))}
    </>
  );
}

interface MissingProps {
  readonly binary: string;
  readonly build_id?: string;
  readonly self: number;
  readonly basis: Basis;
}

function Missing({ binary, build_id: id, self, basis }: MissingProps) {
  const share = `${percent(shareOf(self, basis))} ran in ${binary || "an unknown binary"}`;
  if (binary.startsWith("["))
    return <p class="hint">{share}, which is no file: its code is not shown.</p>;
  if (id === undefined)
    return (
      <p class="hint">
        {share}, of which the profile has no build ID. Link it with -Wl,--build-id: by that the
        server knows that it has the same binary.
      </p>
    );
  return (
    <div class="hint">
      <p>
        {share}. The server does not have this binary; what agents upload names functions and has no
        code. Where the binary is, copy it into a directory of the server, and start the server with
        --debug-dir DIR:
      </p>
      <Command text={`install -D ${binary} DIR/.build-id/${id.slice(0, 2)}/${id.slice(2)}`} />
    </div>
  );
}

const hex = (n: number): string => `0x${n.toString(16)}`;

interface FunctionProps {
  readonly of: MachineFunction;
  readonly basis: Basis;
  readonly inlined: boolean;
  readonly report: Report;
}

function OfFunction({ of: f, basis, inlined, report }: FunctionProps) {
  const [whole, setWhole] = useState(false);
  const prices = usePrices();
  const rows = codeRows(f, whole);
  const hottest = Math.max(1, ...f.instructions.map((i) => i.self));
  const bill = billText(cores(f.self, basis), prices);
  const { expression } = search.value;
  const isHit = ({ at }: CodeRow): boolean =>
    expression !== null && [at.text, at.file ?? ""].some((t) => expression.test(t));
  const hits = rows.filter(isHit).length;
  const part = `${f.binary} ${f.start}`;
  useEffect(() => {
    // What ran in an instruction ran in a line that is counted already.
    report(part, { lines: hits, self: 0 });
    return () => {
      report(part, { lines: 0, self: 0 });
    };
  }, [report, part, hits]);
  const hidden = f.instructions.length - rows.length;
  return (
    <>
      <p class="of-machine" title={f.name}>
        {inlined && "inlined into "}
        <b>{shortName(f.name)}</b> of {basename(f.binary)}: {percent(shareOf(f.self, basis))} of all
        CPU, {coresText(cores(f.self, basis))} cores{bill}
        {(f.unresolved_jumps ?? 0) > 0 && " · not all of its jumps could be followed"}
      </p>
      <CostTable
        label={`machine code of ${f.name}`}
        calls={false}
        prices={prices}
        columns={[
          ["address", true],
          ["instruction", false],
          ["source", false],
        ]}
      >
        {rows.map((r) => (
          <InstructionRow
            key={r.at.address}
            row={r}
            basis={basis}
            hottest={hottest}
            prices={prices}
            hit={isHit(r)}
          />
        ))}
      </CostTable>
      {(whole || hidden > 0) && (
        <button
          type="button"
          onClick={() => {
            setWhole(!whole);
          }}
        >
          {whole ? "Only what is hot" : `All ${f.instructions.length} instructions of the loops`}
        </button>
      )}
    </>
  );
}

interface RowProps {
  readonly row: CodeRow;
  readonly basis: Basis;
  readonly hottest: number;
  readonly prices: ReturnType<typeof usePrices>;
  readonly hit: boolean; // of the search
}

function InstructionRow({ row: r, basis, hottest, prices, hit }: RowProps) {
  const { at } = r;
  const wide = columnsOf(false, prices, 3);
  return (
    <>
      {r.left > 0 && (
        <tr class="gap">
          <td colSpan={wide}>⋮ {r.left} more</td>
        </tr>
      )}
      {r.heads.map((l) => (
        <tr key={l.start} class="loop-head">
          <th scope="rowgroup" colSpan={wide}>
            <LoopHead loop={l} basis={basis} />
          </th>
        </tr>
      ))}
      <tr
        class={`${at.self > 0 ? "ran" : ""} ${r.hot ? "hot" : ""} ${hit ? "hit" : ""}`}
        tabIndex={hit ? -1 : undefined}
      >
        <Costs of={at} basis={basis} hottest={hottest} calls={false} prices={prices} />
        <td class="number address">{hex(at.address)}</td>
        <td class="text">
          <span class="instruction">
            {r.brackets.map((b) => (
              <i key={b.loop.start} class={`bracket ${b.edge}`} aria-hidden="true" />
            ))}
            <code>{at.text}</code>
          </span>
        </td>
        <td class="note">
          {r.meant > 0 && (
            <span title="These samples were taken at the instruction behind: it waited for this one.">
              ← {percent(shareOf(r.meant, basis))}{" "}
            </span>
          )}
          {at.for !== undefined && at.self > 0 && (
            <span title="The timer finds the instruction after the one that took long: these samples are attributed to that one.">
              ↑ for {hex(at.for)}{" "}
            </span>
          )}
          {at.file !== undefined && (
            <span title={at.file}>
              {basename(at.file)}:{at.line}
            </span>
          )}
        </td>
      </tr>
    </>
  );
}

function LoopHead({ loop: l, basis }: { loop: Loop; basis: Basis }) {
  const place =
    l.file === undefined
      ? ""
      : `${basename(l.file)}:${l.line ?? 0}${(l.end_line ?? 0) > (l.line ?? 0) ? `–${l.end_line ?? 0}` : ""}`;
  return (
    <>
      <b>loop {percent(shareOf(l.self, basis))}</b> {percentError(l.error)}
      {!l.innermost && `, ${percent(shareOf(l.total, basis))} with the loops in it`}
      {l.depth > 1 && ` · inside ${l.depth - 1} ${l.depth === 2 ? "other" : "others"}`}
      {place !== "" && (
        <span title={l.file}>
          {" · "}
          {place}
          {l.inlined !== undefined && ` in ${shortName(l.inlined)}`}
        </span>
      )}
    </>
  );
}
