// The numbers of a function, and its callers and callees as two tables.

import { basename } from "../../../data/measure";
import { percent } from "../../../format/number";
import { FunctionName } from "../../parts/functionname";
import { onFunctionMenu } from "../../parts/functionmenu";
import { cores, coresText, Share, shareOf } from "../../parts/measure";
import { Bill, yearly, usePrices } from "../../parts/prices";
import { address, adjust, ownChange } from "../../state/navigation";
import { edgesOf, type Answer, type Direction, type Fn } from "./graph";
import { walkTo } from "./walk";

export function Summary({ answer }: { answer: Answer }) {
  const { basis, total, self, recursive, error } = answer;
  return (
    <dl class="numbers">
      <div>
        <dt>with what it calls</dt>
        <dd>
          <Share weight={total} basis={basis} error={error} bar={false} />{" "}
          <small>
            {coresText(cores(total, basis))} cores
            <Bill weight={total} basis={basis} />
          </small>
        </dd>
      </div>
      <div>
        <dt>itself</dt>
        <dd>
          <Share weight={self} basis={basis} bar={false} />{" "}
          <small>
            {coresText(cores(self, basis))} cores
            <Bill weight={self} basis={basis} />
          </small>
        </dd>
      </div>
      {recursive > 0 && (
        <div>
          <dt>recursive</dt>
          <dd>{percent(shareOf(recursive, basis))}</dd>
        </div>
      )}
    </dl>
  );
}

interface Props {
  answer: Answer;
  found: (fn: Fn) => boolean;
}

// An allocator has thousands of callers: the lightest, beyond so many, are shown on demand
// or when the search finds them.
const MOST = 40;
const ALL = "callgraph.all";

export function Neighbours(props: Props) {
  return (
    <div class="neighbours">
      <Side {...props} direction="callers" />
      <Side {...props} direction="callees" />
      <p class="hint">
        Shares are of all CPU in the selection. Callers and {'"'}it begins stacks{'"'} add up to
        what it costs with what it calls; so do callees and {'"'}itself{'"'}.
      </p>
    </div>
  );
}

function Side({ answer, found, direction }: Props & { direction: Direction }) {
  const { basis } = answer;
  const all = edgesOf(answer, direction);
  const most = address.value.own[ALL] === "true" ? all.length : MOST;
  const rows = all.filter((e, i) => i < most || found(e.function));
  const left = all.length - rows.length;
  const sum = (edges: typeof all): number => edges.reduce((n, e) => n + e.total, 0);
  const rest = left > 0 ? sum(all) - sum(rows) : 0;
  const prices = usePrices();
  const libraries = rows.some((r) => r.function.binary !== undefined);
  const cost = (part: number) =>
    prices && <td class="number year">{yearly(cores(part, basis), prices)}</td>;
  const [own, weight] =
    direction === "callers" ? ["it begins stacks", answer.entry] : ["itself", answer.self];
  return (
    <table class="edges">
      <caption>
        {direction === "callers" ? "Callers" : "Callees"} <small>{all.length}</small>
      </caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            share
          </th>
          <th scope="col" class="number">
            cores
          </th>
          {prices && (
            <th scope="col" class="number year">
              a year
            </th>
          )}
          <th scope="col">function</th>
          {libraries && (
            <th scope="col" class="library">
              library
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {weight > 0 && (
          <tr class="own">
            <td class="number">
              <Share weight={weight} basis={basis} />
            </td>
            <td class="number">{coresText(cores(weight, basis))}</td>
            {cost(weight)}
            <td colSpan={libraries ? 2 : 1}>{own}</td>
          </tr>
        )}
        {rows.map(({ function: fn, total }) => (
          <tr
            key={fn.id}
            class={found(fn) ? "found" : undefined}
            onContextMenu={(e) => {
              onFunctionMenu(e, fn);
            }}
          >
            <td class="number">
              <Share weight={total} basis={basis} />
            </td>
            <td class="number">{coresText(cores(total, basis))}</td>
            {cost(total)}
            <td class="name" onClickCapture={walkTo(fn)}>
              <FunctionName fn={fn} />
            </td>
            {libraries && (
              <td class="library" title={fn.binary}>
                {basename(fn.binary ?? "")}
              </td>
            )}
          </tr>
        ))}
        {left > 0 && (
          <tr>
            <td class="number">
              <Share weight={rest} basis={basis} />
            </td>
            <td class="number">{coresText(cores(rest, basis))}</td>
            {cost(rest)}
            <td colSpan={2}>
              <button
                type="button"
                onClick={() => {
                  adjust(ownChange({ [ALL]: "true" }));
                }}
              >
                {left} more {left === 1 ? direction.slice(0, -1) : direction}
              </button>
            </td>
          </tr>
        )}
        {rows.length === 0 && weight === 0 && (
          <tr>
            <td colSpan={prices ? 4 : 3}>None.</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
