// The callers and callees of a function as two tables: all of them, with numbers.

import { basename } from "../../../data/measure";
import { shortName } from "../../../format/name";
import { percent, percentError, quantity } from "../../../format/number";
import { linkTo, ownChange } from "../../state/navigation";
import type { Answer, Direction, Fn } from "./graph";
import { edgesOf } from "./graph";

interface Props {
  answer: Answer;
  matches: ((fn: Fn) => boolean) | undefined;
  walk: (id: number) => void;
  menu: (fn: Fn, e: MouseEvent) => void;
}

// Summary says what the function itself costs.
export function Summary({ answer, seconds }: { answer: Answer; seconds: number }) {
  const { basis, total, self, recursive, error } = answer;
  const whole = basis.value;
  const share = (weight: number): string => percent(whole > 0 ? weight / whole : 0);
  const facts: [string, string, string][] = [
    ["with what it calls", `${share(total)} ${error > 0 ? percentError(error) : ""}`, cores(total, seconds)],
    ["itself", share(self), cores(self, seconds)],
  ];
  if (recursive > 0) facts.push(["calling itself", share(recursive), ""]);
  return (
    <dl class="numbers">
      {facts.map(([what, said, also]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>
            {said} <small>{also}</small>
          </dd>
        </div>
      ))}
    </dl>
  );

  function cores(weight: number, over: number): string {
    return basis.unit === "nanoseconds" && over > 0
      ? `${(weight / 1e9 / over).toPrecision(2)} cores`
      : quantity(weight, basis.unit, "samples");
  }
}

export function Neighbours(props: Props) {
  return (
    <div class="neighbours">
      <Side {...props} direction="callers" />
      <Side {...props} direction="callees" />
    </div>
  );
}

function Side({ answer, direction, matches, walk, menu }: Props & { direction: Direction }) {
  const rows = edgesOf(answer, direction);
  const whole = answer.basis.value;
  const own: [string, number] =
    direction === "callers" ? ["nobody: it is where stacks begin", answer.entry] : ["itself", answer.self];
  return (
    <table class="edges">
      <caption>{direction === "callers" ? "Callers" : "Callees"}</caption>
      <thead>
        <tr>
          <th scope="col" class="n">
            share
          </th>
          <th scope="col">function</th>
          <th scope="col">library</th>
        </tr>
      </thead>
      <tbody>
        {own[1] > 0 && (
          <tr class="own">
            <td class="n">{percent(own[1] / whole)}</td>
            <td colSpan={2}>{own[0]}</td>
          </tr>
        )}
        {rows.map(({ function: fn, total }) => (
          <tr key={fn.id} class={matches?.(fn) ? "found" : undefined}>
            <td class="n">{percent(total / whole)}</td>
            <td class="name">
              <a
                href={linkTo({ fn: fn.id, ...ownChange({ "callgraph.open": "", "callgraph.all": "" }) })}
                title={fn.name}
                onClick={(e) => {
                  if (e.shiftKey || e.metaKey || e.button !== 0) return;
                  e.preventDefault();
                  walk(fn.id);
                }}
                onContextMenu={(e) => {
                  menu(fn, e);
                }}
              >
                {fn.name === "" ? "without a name" : shortName(fn.name)}
              </a>
            </td>
            <td class="library">{basename(fn.binary ?? "")}</td>
          </tr>
        ))}
        {rows.length === 0 && own[1] === 0 && (
          <tr>
            <td colSpan={3}>None.</td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
