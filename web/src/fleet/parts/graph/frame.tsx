// Around the canvas of a flame graph: waiting, failed, old, empty, there.

import type { ComponentChildren, RefObject } from "preact";
import { Waiting } from "../answered";
import { Failure } from "../failure";
import { NoSamples } from "../nosamples";
import type { Tree } from "./tree";

interface Props {
  readonly graph: Tree;
  readonly host: RefObject<HTMLDivElement | null>; // the canvas goes there
  readonly retry: () => void;
  readonly children?: ComponentChildren;
}

export function GraphFrame({ graph, host, retry, children }: Props) {
  const state = graph.state.value;
  const empty = state.basis !== null && graph.layout.total === 0;
  const stale = state.basis !== null && (state.busy || state.error !== null);
  const told = state.error && (state.error.kind !== "cancelled" || state.basis === null);
  return (
    <div class={`flame-graph ${stale ? "stale" : ""}`} aria-busy={state.busy}>
      {children}
      {told && state.error && (
        <div class="banner">
          <Failure error={state.error} retry={retry} />
        </div>
      )}
      {state.basis === null && !state.error && <Waiting />}
      {empty && <NoSamples />}
      <div ref={host} class="flame-host" hidden={state.basis === null || empty} />
    </div>
  );
}
