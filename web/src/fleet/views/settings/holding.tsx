// What the store of the project holds.

import { useAnswer } from "../../api/answer";
import { integer, percent, quantity } from "../../../format/number";
import { Failure } from "../../parts/failure";
import { day } from "../../parts/time";

export function Holding() {
  const { value, error, retry } = useAnswer("/api/v1/stats", {});
  if (!value) return error ? <Failure error={error} retry={retry} /> : null;
  const times = value.tables.filter((t) => t.first !== undefined);
  const facts: [string, string][] = [
    ["On disk", quantity(value.bytes, "bytes", "")],
    ["In memory, of names and stacks", quantity(value.memory, "bytes", "")],
    ["Functions", integer(value.functions)],
    ["Stacks", integer(value.stacks)],
    ["Series", integer(value.series)],
    ["Addresses without a name", integer(value.unresolved)],
  ];
  for (const [what, n] of [
    ["Stacks that were cut", value.cut_stacks],
    ["Series that were put together", value.merged_series],
    ["Samples that were too old or too new", value.dropped_samples],
  ] as const) {
    if (n > 0) facts.push([what, integer(n)]);
  }
  for (const b of value.bounds) {
    facts.push([`Bound on ${b.name}`, `${percent(b.used / b.limit)} used`]);
  }
  return (
    <section aria-labelledby="holding">
      <h2 id="holding">Store</h2>
      {value.journal.failing && (
        <p role="alert">The store does not take what arrives; the server's log says why.</p>
      )}
      {value.bounds
        .filter((b) => b.warning !== undefined)
        .map((b) => (
          <p role="status" key={b.name}>
            {b.warning}
          </p>
        ))}
      <dl class="facts">
        {facts.map(([what, n]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>{n}</dd>
          </div>
        ))}
      </dl>
      <div class="scroll" role="region" aria-label="Tables with times" tabIndex={0}>
        <table class="plain">
          <thead>
            <tr>
              <th>Table</th>
              <th class="number">Rows</th>
              <th>From</th>
              <th>To</th>
            </tr>
          </thead>
          <tbody>
            {times.map((t) => (
              <tr key={t.name}>
                <td>{t.name}</td>
                <td class="number">{integer(t.rows)}</td>
                <td>{day(Date.parse(t.first ?? ""))}</td>
                <td>{day(Date.parse(t.last ?? ""))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="scroll" role="region" aria-label="Files with sizes" tabIndex={0}>
        <table class="plain">
          <thead>
            <tr>
              <th>File</th>
              <th class="number">On disk</th>
            </tr>
          </thead>
          <tbody>
            {value.files
              .filter((f) => f.bytes > 0)
              .map((f) => (
                <tr key={f.name}>
                  <td>{f.name}</td>
                  <td class="number">{quantity(f.bytes, "bytes", "")}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
