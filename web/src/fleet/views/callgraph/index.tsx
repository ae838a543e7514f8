// The call graph of one function: who calls it, what it calls, and more of either on
// demand. A click on another function walks there.

import { useMemo } from "preact/hooks";
import { useAnswers } from "../../api/answers";
import { selection } from "../../state/address";
import { address, adjust, go, ownChange } from "../../state/navigation";
import { Drawing } from "./drawing";
import { build, formatOpened, parseOpened, type Answer, type Direction } from "./graph";
import { Neighbours } from "./neighbours";
import { Choice } from "../../parts/choice";
import { Busy } from "../../parts/busy";
import { Failure } from "../../parts/failure";

const OPEN = "callgraph.open";
const ALL = "callgraph.all";

export function CallGraph() {
  const a = address.value;
  return a.fn === 0 ? <Choice of="call graph" /> : <OfFunction middle={a.fn} />;
}

function OfFunction({ middle }: { middle: number }) {
  const a = address.value;
  const opened = useMemo(() => parseOpened(a.own[OPEN] ?? ""), [a.own[OPEN]]);
  const all = a.own[ALL] === "true";
  const ids = [...new Set([middle, ...opened.map((o) => o.id)])];
  const asked = useAnswers(
    "/api/v1/callgraph",
    new Map(ids.map((id) => [String(id), { ...selection(a), function: id }])),
  );
  const answers = new Map<number, Answer>();
  for (const [name, answer] of asked.values) answers.set(Number(name), answer);
  const answer = answers.get(middle);
  const graph = build(middle, opened, answers, all);

  const walk = (id: number): void => {
    go({ fn: id, ...ownChange({ [OPEN]: "", [ALL]: "" }) });
  };
  const open = (id: number, direction: Direction): void => {
    const without = opened.filter((o) => o.id !== id || o.direction !== direction);
    const next = without.length < opened.length ? without : [...opened, { id, direction }];
    adjust(ownChange({ [OPEN]: formatOpened(next) }));
  };
  return (
    <section class="callgraph" aria-label="Call graph">
      <Busy asked={asked} />
      {asked.error && <Failure error={asked.error} retry={asked.retry} />}
      {answer && (
        <div class={asked.stale ? "stale" : undefined}>
          <Neighbours answer={answer} />
          <Drawing graph={graph} whole={answer.basis.value} walk={walk} open={open} />
        </div>
      )}
    </section>
  );
}
