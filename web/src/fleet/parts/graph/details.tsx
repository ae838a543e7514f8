// The bar below a graph: what is selected, in words that can be copied, and what can be
// done with it; else what the colours mean.

import { useState } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import { functionSelection } from "../../state/address";
import { address } from "../../state/navigation";
import type { Basis } from "../../../data/columns";
import { copyText } from "../../../dom/dom";
import { shortName } from "../../../format/name";
import { ORIGINS, originLabel } from "../../../draw/palette";
import { openView, type Subject } from "../functionmenu";
import { shareText } from "./describe";
import type { Selected } from "./flamegraph";
import type { Tree } from "./tree";

interface Props {
  readonly graph: Tree | null;
  readonly beside?: Tree | null; // another one whose colours are on the page
  readonly selected: Selected | null;
  readonly compared?: boolean; // the page's selection is of two halves
}

// The text stays the same element whatever it says: a screen reader reads what changes in
// one that it knows.
export function Details({ graph, beside = null, selected, compared = false }: Props) {
  // Its room is kept before there is something to say: the graph keeps its own.
  if (!graph?.state.value.basis) return <div class="details" />;
  const text = selected && graph.describe(selected.place);
  const facts = text && [text.here, text.own && `own ${text.own}`, text.library, text.source];
  return (
    <div class="details">
      <p class="offscreen" id="keys-hint">
        The arrow keys go from frame to frame, Enter zooms to it, plus and minus zoom, 0 shows all
        again, X opens its callers and callees, the menu key all there is.
      </p>
      <div class={text ? "text" : "text hint"} role="status">
        {text ? (
          <>
            <b class="name">{shortName(text.name)}</b>
            <span class="fact">{facts?.filter((s) => s !== "").join("  ·  ")}</span>
            {selected.subject && !compared && <Everywhere subject={selected.subject} />}
            {shortName(text.name) !== text.name && <span class="whole">{text.name}</span>}
          </>
        ) : (
          "Click zooms, double click shows callers and callees, ctrl-click the call graph, right click all there is, / searches, ? lists the keys."
        )}
      </div>
      {selected?.subject && <Actions subject={selected.subject} />}
      {!selected && !compared && <Legend graphs={[graph, beside]} />}
    </div>
  );
}

// Everywhere is the function's share in all stacks, as the server counts it.
function Everywhere({ subject }: { readonly subject: Subject }) {
  const asked = useAnswer("/api/v1/callgraph", {
    ...functionSelection(address.value),
    function: subject.id,
  });
  const g = asked.value;
  if (g?.function.id !== subject.id) return null;
  const basis: Basis = g.basis;
  return (
    <span class="fact">
      {"  ·  "}everywhere: self {shareText(g.self, basis)}, total {shareText(g.total, basis)}
    </span>
  );
}

function Actions({ subject }: { readonly subject: Subject }) {
  const [copied, setCopied] = useState("");
  return (
    <div class="actions">
      <button
        type="button"
        title="Copy the whole name (c)"
        onClick={() => {
          void copyText(subject.name).then((done) => {
            setCopied(done ? "Copied" : "Copying is blocked");
            setTimeout(() => {
              setCopied("");
            }, 1500);
          });
        }}
      >
        {copied === "" ? "Copy name" : copied}
      </button>
      <button
        type="button"
        title="Callers and callees (x)"
        onClick={() => {
          openView("sandwich", subject.id);
        }}
      >
        Callers & callees
      </button>
      <button
        type="button"
        title="Call graph (g)"
        onClick={() => {
          openView("callgraph", subject.id);
        }}
      >
        Call graph
      </button>
      <button
        type="button"
        title="Source lines (l)"
        onClick={() => {
          openView("lines", subject.id);
        }}
      >
        Lines
      </button>
    </div>
  );
}

// Legend lists only the origins that the graphs have.
function Legend({ graphs }: { readonly graphs: readonly (Tree | null)[] }) {
  const seen = new Set(
    graphs.flatMap((g) => (g?.state.value.basis ? [...g.functions.origins] : [])),
  );
  const list = Array.from({ length: ORIGINS - 1 }, (_, o) => o).filter((o) => seen.has(o));
  return (
    <ul class="legend" aria-label="Colours">
      {list.map((o) => (
        <li key={o}>
          <i class={`swatch origin-${o}`} aria-hidden="true" />
          {originLabel(o)}
        </li>
      ))}
    </ul>
  );
}
