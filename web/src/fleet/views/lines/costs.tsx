// The columns that every table of costs begins with, and the bar of a cost.

import type { ComponentChildren } from "preact";
import { percent } from "../../../format/number";
import { cores, coresText, Share, shareOf, type Basis } from "../../parts/measure";
import { yearly, type Prices } from "../../parts/prices";

interface Weights {
  readonly self: number;
  readonly total?: number; // missing where nothing is called
  readonly error: number;
}

interface CostsProps {
  readonly of: Weights | undefined; // undefined where nothing ran
  readonly basis: Basis;
  readonly hottest: number; // what the longest bar is of
  readonly calls: boolean; // with a column of what is called
  readonly prices: Prices | null;
}

export function Costs({ of, basis, hottest, calls, prices }: CostsProps) {
  const own = of !== undefined && of.self > 0 ? of : undefined;
  return (
    <>
      <td class="number">
        {own && (
          <>
            <svg class="heat" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(100 * own.self) / hottest} height="10" />
            </svg>
            <Share weight={own.self} basis={basis} error={own.error} bar={false} />
          </>
        )}
      </td>
      {calls && (
        <td class="number spare">{of?.total !== undefined && percent(shareOf(of.total, basis))}</td>
      )}
      <td class="number spare">{own && coresText(cores(own.self, basis))}</td>
      {prices && <td class="number spare cost">{own && yearly(cores(own.self, basis), prices)}</td>}
    </>
  );
}

interface TableProps {
  readonly label: string;
  readonly calls: boolean;
  readonly prices: Prices | null;
  readonly columns: readonly (readonly [title: string, number: boolean])[]; // behind the costs
  readonly children: ComponentChildren;
}

export function CostTable({ label, calls, prices, columns, children }: TableProps) {
  const spare = ["cores", ...(prices ? ["a year"] : [])];
  if (calls) spare.unshift("with calls");
  return (
    <div class="listing" role="region" tabIndex={0} aria-label={label}>
      <table class="source">
        <thead>
          <tr>
            <th scope="col" class="number">
              itself
            </th>
            {spare.map((title) => (
              <th key={title} scope="col" class="number spare">
                {title}
              </th>
            ))}
            {columns.map(([title, number]) => (
              <th key={title} scope="col" class={number ? "number" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

// columnsOf counts the columns of a table, for a row that is as wide as all.
export function columnsOf(calls: boolean, prices: Prices | null, more: number): number {
  return 2 + (calls ? 1 : 0) + (prices ? 1 : 0) + more;
}
