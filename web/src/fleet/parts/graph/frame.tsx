// Around the canvas of a flame graph: waiting, failed, old, empty, there.

import type { ComponentChildren, RefObject } from "preact";
import { Waiting } from "../answered";
import { FailureBanner } from "../failure";
import { NoSamples } from "../nosamples";
import type { Tree } from "./tree";

interface Props {
  readonly graph: Tree;
  readonly host: RefObject<HTMLDivElement | null>; // the canvas goes there
  readonly children?: ComponentChildren;
}

export function GraphFrame({ graph, host, children }: Props) {
  const state = graph.state.value;
  const empty = state.basis !== null && graph.layout.total === 0;
  const stale = state.basis !== null && (state.busy || state.error !== null);
  return (
    <div class={`flame-graph ${stale ? "stale" : ""}`} aria-busy={state.busy}>
      {children}
      {state.error && (
        <FailureBanner
          error={state.error}
          retry={() => {
            graph.retry();
          }}
        />
      )}
      {state.basis === null && !state.error && <Waiting />}
      {empty && <NoSamples />}
      <div ref={host} class="flame-host" hidden={state.basis === null || empty} />
    </div>
  );
}
