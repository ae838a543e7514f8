// The name of a function, wherever one is shown. A click selects it, a double click or
// Enter opens the sandwich, ctrl-click the call graph, a right click the menu.

import type { components } from "../api/schema";
import { shortName, splitName } from "../../format/name";
import { basename } from "../../data/measure";
import { address, adjust, go, linkTo } from "../state/navigation";
import { matches, search } from "../state/search";
import { ORIGINS } from "./origin";
import { useInGrid } from "./table";

export type Func = components["schemas"]["Function"];

// nameOf is never empty: an unnamed address is told by its binary.
export function nameOf(f: Pick<Func, "name" | "binary">): string {
  if (f.name !== "") return f.name;
  return f.binary === undefined ? "(unknown)" : `(unnamed in ${basename(f.binary)})`;
}

// select makes a function the one that the views are about, in the view in front. It is
// nothing that Back would undo.
export function select(f: Pick<Func, "id">): void {
  adjust({ fn: f.id });
}

// The handlers of anything that stands for a function: a row, a box, a name.
export function functionHandlers(f: Func) {
  return {
    onClick: (e: MouseEvent): void => {
      if (e.shiftKey || e.button !== 0) return;
      e.preventDefault();
      if (e.ctrlKey || e.metaKey) go({ view: "callgraph", fn: f.id });
      else select(f);
    },
    onDblClick: (e: MouseEvent): void => {
      e.preventDefault();
      go({ view: "sandwich", fn: f.id });
    },
  };
}

export function FunctionName({ fn }: { fn: Func }) {
  const name = nameOf(fn);
  const { expression } = search.value;
  const inGrid = useInGrid();
  const hit = expression !== null && matches(expression, fn);
  return (
    <span class="function-name" title={titleOf(fn)}>
      <Swatch origin={fn.origin} />
      <a
        class={hit ? "hit" : undefined}
        tabIndex={inGrid ? -1 : undefined}
        href={linkTo({ view: "sandwich", fn: fn.id })}
        aria-current={address.value.fn === fn.id ? "true" : undefined}
        {...functionHandlers(fn)}
        onKeyDown={(e) => {
          if (e.key !== "Enter" || e.ctrlKey || e.metaKey) return;
          e.preventDefault();
          e.stopPropagation();
          go({ view: "sandwich", fn: fn.id });
        }}
      >
        <Short name={name} />
      </a>
    </span>
  );
}

// Short is a name of which the end stays where room is scarce.
function Short({ name }: { name: string }) {
  const [scope, own] = splitName(shortName(name));
  return (
    <>
      {scope !== "" && <span class="scope">{scope}</span>}
      <span class="own">{own}</span>
    </>
  );
}

export function Swatch({ origin }: { origin: Func["origin"] }) {
  return <i class={`swatch origin-${ORIGINS.indexOf(origin)}`} title={origin} aria-hidden="true" />;
}

export function titleOf(f: Func): string {
  const lines = [nameOf(f)];
  if (f.system !== undefined) lines.push(f.system);
  if (f.binary !== undefined) lines.push(f.binary);
  if (f.file !== undefined) lines.push(f.line === undefined ? f.file : `${f.file}:${f.line}`);
  return lines.join("\n");
}
