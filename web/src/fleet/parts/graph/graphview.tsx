// A whole view of one graph: the bar above, the graph, the bar below, the keys and the
// search. The flame graph and its reverse are one each.

import { useCallback, useMemo, useState } from "preact/hooks";
import { address, adjust, go, ownChange } from "../../state/navigation";
import { ByChoice } from "../bychoice";
import { useCommands } from "../commands";
import { FOCUS } from "../functionmenu";
import { Details } from "./details";
import { FlameGraph, type GraphHandle, type Selected } from "./flamegraph";
import { commandsOf, useGraphSearch } from "./keys";
import { GraphBar } from "./toolbar";

interface Props {
  readonly name: "flame" | "reverse";
  readonly label: string;
  readonly root: "callers" | "callees";
}

export function GraphView({ name, label, root }: Props) {
  const [handle, setHandle] = useState<GraphHandle | null>(null);
  const [selected, setSelected] = useState<Selected | null>(null);
  const { own } = address.value;
  const rootName = `${name}.root`;
  const byName = `${name}.by`;
  const by = own[byName] ?? "";
  const focus = Number(own[FOCUS] ?? 0);
  const rootBelow = own[rootName] === "below";
  const flip = useCallback(() => {
    const below = address.peek().own[rootName] === "below";
    adjust(ownChange({ [rootName]: below ? "" : "below" }));
  }, [rootName]);
  const copied = selected?.subject?.name;
  const commands = useMemo(
    () => ({
      ...commandsOf(() => handle?.view ?? null, copied),
      flip,
    }),
    [handle, flip, copied],
  );
  useCommands(commands);
  useGraphSearch(handle);
  return (
    <div class="graph-view">
      <GraphBar handle={handle} rootBelow={rootBelow} flip={flip}>
        {focus === 0 && (
          <ByChoice
            label="One graph for each"
            none="Not grouped"
            by={by}
            choose={(key) => {
              go(ownChange({ [byName]: key, [`${name}.range`]: "", [`${name}.select`]: "" }));
            }}
          />
        )}
      </GraphBar>
      <FlameGraph
        name={name}
        label={label}
        root={root}
        focus={focus}
        {...(by !== "" && focus === 0 && { only: { by } })}
        rootBelow={rootBelow}
        selects
        use={setHandle}
        onSelect={setSelected}
      />
      <Details graph={handle?.graph ?? null} selected={selected} />
    </div>
  );
}
