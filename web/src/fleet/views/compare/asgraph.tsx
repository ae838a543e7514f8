// The comparison as a flame graph, with the keys, the search and the selection of one.

import { useCallback, useMemo, useState } from "preact/hooks";
import { useCommands } from "../../parts/commands";
import { Details } from "../../parts/graph/details";
import { DifferenceGraph } from "../../parts/graph/difference";
import type { Handle, Selected } from "../../parts/graph/flamegraph";
import { commandsOf } from "../../parts/graph/keys";
import { useFound, useStep } from "../../parts/searching";
import type { Parameters } from "../../state/address";
import { half } from "./sides";

export function AsGraph({ asks, found }: { asks: Parameters; found: string | null }) {
  const [handle, setHandle] = useState<Handle | null>(null);
  const [selected, setSelected] = useState<Selected | null>(null);
  const copied = selected?.subject?.name;
  const commands = useMemo(() => commandsOf(() => handle?.view ?? null, copied), [handle, copied]);
  useCommands(commands);
  const marks = handle?.graph.state.value.marks ?? null;
  const at = (handle?.hit.value ?? -1) + 1;
  useFound(found === null ? null : { text: found, ...(marks && { at, of: marks.hits.length }) });
  useStep(
    useCallback(
      (by) => {
        handle?.visitHit(by);
      },
      [handle],
    ),
  );
  return (
    <div class="graph-view">
      <DifferenceGraph
        name="compare"
        before={half(asks, "before")}
        after={half(asks, "after")}
        use={setHandle}
        onSelect={setSelected}
      />
      <Details graph={handle?.graph ?? null} selected={selected} compared />
    </div>
  );
}
