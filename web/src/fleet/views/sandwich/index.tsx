// The sandwich: who calls a function, each caller on top of what it calls; the function;
// and what it calls.

import { useMemo, useRef, useState } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import { functionSelection } from "../../state/address";
import { address } from "../../state/navigation";
import { useCommands } from "../../parts/commands";
import { Empty, Failure } from "../../parts/failure";
import { onFunctionMenu } from "../../parts/functionmenu";
import { FunctionName } from "../../parts/functionname";
import { Details } from "../../parts/graph/details";
import { FlameGraph, type GraphHandle, type Selected } from "../../parts/graph/flamegraph";
import { commandsOf, useGraphSearch } from "../../parts/graph/keys";
import { GraphBar } from "../../parts/graph/toolbar";
import { Cores, Share } from "../../parts/measure";
import { Bill } from "../../parts/prices";

export function SandwichView() {
  const { fn } = address.value;
  if (fn === 0) {
    return (
      <Empty title="No function is chosen.">
        <p>Double click one in the table or in a flame graph to see its callers and callees.</p>
      </Empty>
    );
  }
  return <Sandwich fn={fn} />;
}

function Sandwich({ fn }: { readonly fn: number }) {
  const [callers, setCallers] = useState<GraphHandle | null>(null);
  const [callees, setCallees] = useState<GraphHandle | null>(null);
  const [selected, setSelected] = useState<{ of: GraphHandle | null; what: Selected | null }>({
    of: null,
    what: null,
  });
  const both = useRef<{ callers: GraphHandle | null; callees: GraphHandle | null }>({
    callers,
    callees,
  });
  both.current = { callers, callees };
  const copied = selected.what?.subject?.name;
  // Keys act on the half that has the focus, or on the callees.
  const commands = useMemo(() => {
    const focused = (): GraphHandle | null => {
      const { callers: above, callees: below } = both.current;
      return above?.view.canvas === document.activeElement ? above : below;
    };
    return commandsOf(() => focused()?.view ?? null, copied);
  }, [copied]);
  useCommands(commands);
  useGraphSearch(callees);
  const asked = useAnswer("/api/v1/callgraph", {
    ...functionSelection(address.value),
    function: fn,
  });
  const g = asked.value;
  if (asked.error && !g) return <Failure error={asked.error} retry={asked.retry} />;
  return (
    <div class="graph-view sandwich">
      <GraphBar handle={callees} />
      <p class="caption">Callers</p>
      <FlameGraph
        name="sandwich.callers"
        label="Callers"
        root="callees"
        focus={fn}
        rootBelow
        selects={false}
        use={setCallers}
        onSelect={(what) => {
          setSelected({ of: both.current.callers, what });
        }}
      />
      <div
        class={`function ${asked.stale ? "stale" : ""}`}
        onContextMenu={(e) => {
          if (g) onFunctionMenu(e, g.function);
        }}
      >
        {g && (
          <>
            <FunctionName fn={g.function} />
            <span>
              total <Share weight={g.total} basis={g.basis} error={g.error} bar={false} />
              {" · "}
              <Cores weight={g.total} basis={g.basis} /> cores
              <Bill weight={g.total} basis={g.basis} />
            </span>
            <span>
              self <Share weight={g.self} basis={g.basis} bar={false} />
            </span>
            {g.recursive > 0 && (
              <span>
                recursive in <Share weight={g.recursive} basis={g.basis} bar={false} />
              </span>
            )}
          </>
        )}
      </div>
      <FlameGraph
        name="sandwich.callees"
        label="Callees"
        root="callers"
        focus={fn}
        rootBelow={false}
        selects={false}
        use={setCallees}
        onSelect={(what) => {
          setSelected({ of: both.current.callees, what });
        }}
      />
      <p class="caption">Callees</p>
      <Details
        graph={(selected.what && selected.of?.graph) ?? callees?.graph ?? null}
        beside={callers?.graph ?? null}
        selected={selected.what}
      />
    </div>
  );
}
