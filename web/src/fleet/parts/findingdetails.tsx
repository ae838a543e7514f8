// What stands behind a finding, unfolded: the loop in its source and its worlds, the
// evidence, the change. The order and the words are those of the report's cards
// (internal/report/html).

import { percent } from "../../format/number";
import type { ExcerptLine, Finding, World } from "./finding";
import { cycleRange, legend, restOfEvidence, shape, short, sign, worldsNote } from "./findingwords";

export function Excerpt({ finding }: { finding: Finding }) {
  const { source } = finding;
  if (!source || source.lines.length === 0) return null;
  const shares = source.lines.some((l) => l.share !== undefined);
  const columns = shares ? 4 : 3;
  return (
    <>
      <table class="source" aria-label="source of the loop" tabIndex={0}>
        <tbody>
          {source.lines.map((l, i) => (
            <Row
              key={l.number}
              line={l}
              shares={shares}
              gap={i > 0 && source.lines[i - 1].number + 1 < l.number}
              columns={columns}
            />
          ))}
        </tbody>
      </table>
      <ul class="legend">
        {legend(finding).map((m) => (
          <li key={`${m.sign} ${m.at}`}>
            <b class={`sign s${m.sign}`}>{m.sign}</b> {m.says}: <code>{m.what}</code>
            {m.at !== "" && ` at ${m.at}`}
          </li>
        ))}
      </ul>
    </>
  );
}

interface RowProps {
  line: ExcerptLine;
  shares: boolean;
  gap: boolean;
  columns: number;
}

function Row({ line, shares, gap, columns }: RowProps) {
  return (
    <>
      {gap && (
        <tr class="gap">
          <td colSpan={columns}>⋮</td>
        </tr>
      )}
      <tr class={line.loop ? "loop" : undefined}>
        {shares && <td class="lineshare">{line.share === undefined ? "" : percent(line.share)}</td>}
        <td class="number">{line.number}</td>
        <td class="signs">
          {(line.marks ?? []).map((role) => (
            <b key={role} class={`sign s${sign(role)}`}>
              {sign(role)}
            </b>
          ))}
        </td>
        <td class="text">
          <code>{line.text.replaceAll("\t", "    ")}</code>
        </td>
      </tr>
    </>
  );
}

export function Worlds({ worlds }: { worlds: readonly World[] }) {
  const cycles = worlds.some((w) => cycleRange(w.cycles) !== "");
  return (
    <>
      <h4>The loop, compiled as it is and as it could be</h4>
      <table class="worlds">
        <thead>
          <tr>
            <td></td>
            <th scope="col">the loop is</th>
            <th scope="col" class="n">
              loads
            </th>
            <th scope="col" class="n">
              stores
            </th>
            {cycles && (
              <th scope="col" class="n">
                cycles
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {worlds.map((w) => (
            <tr key={w.name} class={w.reached ? "reached" : undefined}>
              <th scope="row">{w.name}</th>
              <td>{shape(w)}</td>
              <td class="n">{short(w.loads)}</td>
              <td class="n">{short(w.stores)}</td>
              {cycles && <td class="n">{cycleRange(w.cycles)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="basis">{worldsNote(worlds)}</p>
    </>
  );
}

export function Evidence({ finding }: { finding: Finding }) {
  const evidence = restOfEvidence(finding);
  if (evidence.length === 0) return null;
  return (
    <>
      <h4>Why</h4>
      <ul class="evidence">
        {evidence.map((e, i) => (
          <li key={i}>
            <span class="kind">{e.kind}</span> <span>{e.text}</span>{" "}
            {e.share !== undefined && <b>{percent(e.share)}</b>}
          </li>
        ))}
      </ul>
    </>
  );
}

export function Change({ fix }: { fix: Finding["fix"] }) {
  const { steps = [], diff = "", caveats = [], licence = "" } = fix;
  return (
    <>
      {(steps.length > 0 || diff !== "") && <h4>What to change</h4>}
      {steps.length > 0 && (
        <ol>
          {steps.map((s, i) => (
            <li key={i}>{s}</li>
          ))}
        </ol>
      )}
      {diff !== "" && (
        <pre class="diff" tabIndex={0}>
          <code>
            {diff.split(/(?<=\n)/).map((line, i) => (
              <span key={i} class={classOf(line)}>
                {line}
              </span>
            ))}
          </code>
        </pre>
      )}
      {caveats.length > 0 && (
        <ul class="caveats">
          {caveats.map((c, i) => (
            <li key={i}>{c}</li>
          ))}
        </ul>
      )}
      {licence !== "" && <p class="licence">Licence of the replacement: {licence}</p>}
    </>
  );
}

function classOf(line: string): string {
  if (line.startsWith("+")) return "added";
  if (line.startsWith("-")) return "removed";
  return line.startsWith("@@") ? "hunk" : "same";
}
