// The row above a graph: what it rests on, what was taken out of it, and what can be done
// with all of it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import { asApiError, type ApiError } from "../../api/error";
import { functionSelection } from "../../state/address";
import { address } from "../../state/navigation";
import { shortName } from "../../../format/name";
import { integer } from "../../../format/number";
import { Failure } from "../failure";
import { focusOn, FOCUS, hiddenFunctions, showAgain } from "../functionmenu";
import { Precision } from "../measure";
import { openMenu } from "../menu";
import { save } from "./exports";
import type { GraphHandle } from "./flamegraph";

interface Props {
  readonly handle: GraphHandle | null;
  readonly rootBelow?: boolean; // missing: it cannot be turned
  readonly flip?: () => void;
  readonly children?: ComponentChildren;
}

export function GraphBar({ handle, rootBelow, flip, children }: Props) {
  const state = handle?.graph.state.value;
  const focus = Number(address.value.own[FOCUS] ?? 0);
  return (
    <div class="graph-bar">
      {state?.basis && <Precision basis={state.basis} />}
      {children}
      {focus > 0 && (
        <Chip
          id={focus}
          what="Only what it calls"
          remove={() => {
            focusOn(0);
          }}
        />
      )}
      {hiddenFunctions().map((id) => (
        <Chip
          key={id}
          id={id}
          what="Hidden"
          remove={() => {
            showAgain(id);
          }}
        />
      ))}
      <span class="filling" role="status">
        {state?.filling
          ? "reading the whole tree…"
          : state && state.nodes > 0
            ? `${integer(state.nodes)} ${state.complete ? "nodes" : "nodes so far"}`
            : ""}
      </span>
      <div class="graph-tools" role="group" aria-label="Graph">
        {flip && (
          <button type="button" title="Root on top or at the bottom (f)" onClick={flip}>
            {rootBelow === true ? "▲ Root below" : "▼ Root on top"}
          </button>
        )}
        <button type="button" title="Back to the whole (0)" onClick={() => handle?.view.reset()}>
          Reset
        </button>
        {handle && <Export handle={handle} />}
      </div>
    </div>
  );
}

// Chip is a function that shapes the graph, with a way to undo that.
function Chip(props: { readonly id: number; readonly what: string; remove: () => void }) {
  const asked = useAnswer("/api/v1/callgraph", {
    ...functionSelection(address.value),
    function: props.id,
  });
  const name = asked.value?.function.name ?? "…";
  return (
    <span class="chip" title={name}>
      {props.what}: <b>{shortName(name)}</b>
      <button
        type="button"
        aria-label={`${props.what}: ${name}: undo`}
        title="Undo"
        onClick={props.remove}
      >
        ✕
      </button>
    </span>
  );
}

function Export({ handle }: { readonly handle: GraphHandle }) {
  const [error, setError] = useState<ApiError | null>(null);
  const entry = (label: string, kind: Parameters<typeof save>[0]) => ({
    label,
    act: () => {
      setError(null);
      save(kind, handle).catch((e: unknown) => {
        setError(asApiError(e));
      });
    },
  });
  return (
    <>
      <button
        type="button"
        aria-haspopup="menu"
        onClick={(e) => {
          const box = e.currentTarget.getBoundingClientRect();
          openMenu({ clientX: box.left, clientY: box.bottom + 4 }, "Export", [
            entry("Picture of what is in view (SVG)", "svg"),
            entry("Picture of what is in view (PNG)", "png"),
            entry("Stacks of this graph (folded text)", "folded"),
            entry("Profile of the selection (pprof)", "pprof"),
          ]);
        }}
      >
        Export ▾
      </button>
      {error && <Failure error={error} />}
    </>
  );
}
