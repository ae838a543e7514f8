// The call graph of one function: callers, what it calls, and more of either on
// demand. A click on another function walks there.

import { useMemo } from "preact/hooks";
import { percent } from "../../../format/number";
import { useAnswers } from "../../api/answers";
import { Waiting } from "../../parts/answered";
import { Failure, FailureBanner } from "../../parts/failure";
import { FunctionHeading } from "../../parts/functionheading";
import { FunctionChoice } from "../../parts/functionchoice";
import { Precision, shareOf } from "../../parts/measure";
import { NotRun } from "../../parts/nosamples";
import { useFocusStep, useFound } from "../../parts/searching";
import { functionSelection } from "../../state/address";
import { address, adjust, ownChange } from "../../state/navigation";
import { matches, search } from "../../state/search";
import { Drawing } from "./drawing";
import {
  build,
  edgesOf,
  formatOpened,
  parseOpened,
  type Answer,
  type Direction,
  type Fn,
} from "./graph";
import { Neighbours, Summary } from "./neighbours";

const OPEN = "callgraph.open";

export function CallGraph() {
  const { fn } = address.value;
  return fn === 0 ? <FunctionChoice title="Whose call graph?" /> : <OfFunction middle={fn} />;
}

function OfFunction({ middle }: { middle: number }) {
  const a = address.value;
  const text = a.own[OPEN] ?? "";
  const opened = useMemo(() => parseOpened(text, middle), [text, middle]);
  const ids = [...new Set([middle, ...opened.map((o) => o.id)])];
  const asked = useAnswers(
    "/api/v1/callgraph",
    new Map(ids.map((id) => [id, { ...functionSelection(a), function: id }])),
  );
  const answer = asked.values.get(middle);
  const found = searched();
  useSearch(answer, found);
  const open = (id: number, direction: Direction): void => {
    adjust(ownChange({ [OPEN]: formatOpened([...opened, { id, direction }], middle) }));
  };
  if (answer === undefined)
    return asked.error ? <Failure error={asked.error} retry={asked.retry} /> : <Waiting />;
  const graph = build(middle, opened, asked.values);
  return (
    <section class={asked.stale ? "callgraph stale" : "callgraph"} aria-busy={asked.busy}>
      {asked.error && <FailureBanner error={asked.error} retry={asked.retry} />}
      <header>
        <FunctionHeading fn={answer.function} />
        <Summary answer={answer} />
        <Precision basis={answer.basis} />
        {opened.length > 0 && (
          <button
            type="button"
            onClick={() => {
              adjust(ownChange({ [OPEN]: "" }));
            }}
          >
            Only direct callers and callees
          </button>
        )}
      </header>
      {answer.total === 0 ? (
        <NotRun basis={answer.basis} />
      ) : (
        <div class="both">
          <Drawing graph={graph} basis={answer.basis} found={found} open={open} />
          <Neighbours answer={answer} found={found} />
        </div>
      )}
    </section>
  );
}

// searched says what the search finds; nothing without one.
function searched(): (fn: Fn) => boolean {
  const { expression } = search.value;
  return (fn) => expression !== null && matches(expression, fn);
}

// useSearch tells the search box what it found among callers and callees, and has next
// and previous go from one to the other.
function useSearch(answer: Answer | undefined, found: (fn: Fn) => boolean): void {
  const hits = answer
    ? [...edgesOf(answer, "callers"), ...edgesOf(answer, "callees")].filter((e) =>
        found(e.function),
      )
    : [];
  const weight = hits.reduce((sum, e) => sum + e.total, 0);
  useFound(
    answer && search.value.expression !== null
      ? {
          text: `${hits.length} of its callers and callees, ${percent(shareOf(weight, answer.basis))}`,
        }
      : null,
  );
  useFocusStep(".callgraph .box.found > a");
}
