// What the keys and the search do in a graph.

import { useCallback } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import { functionSelection } from "../../state/address";
import type { Commands } from "../../state/commands";
import { address, adjust } from "../../state/navigation";
import { search, type Found } from "../../state/search";
import type { FlameView } from "../../../graph/flameview";
import { copyText } from "../../../dom/dom";
import { percent } from "../../../format/number";
import { FOCUS, hiddenFunctions } from "../functionmenu";
import { useFound, useStep } from "../searching";
import type { Handle } from "./flamegraph";

// commandsOf takes the name of what is selected, for copying.
export function commandsOf(view: () => FlameView | null, copied: string | undefined): Commands {
  return {
    copy: () => {
      if (copied !== undefined) void copyText(copied);
    },
    reset: () => {
      if (address.peek().query !== "") adjust({ query: "" });
      view()?.reset();
    },
    zoomIn: () => view()?.zoomIn(),
    zoomOut: () => view()?.zoomOut(),
    pan: (columns, rows) => view()?.pan(columns, rows),
    arrow: (key) => {
      const v = view();
      if (!v) return;
      if (key === "left" || key === "right") v.step(key);
      else v.step((key === "down") === v.rootBelow ? "shallower" : "deeper");
    },
    enter: () => view()?.zoomToSelection(),
  };
}

// useGraphSearch says what the search found, and goes from hit to hit. The share is the
// server's, of all samples, unless the graph shows a part of them.
export function useGraphSearch(handle: Handle | null): void {
  const { pattern, expression } = search.value;
  const part = (address.value.own[FOCUS] ?? "") !== "" || hiddenFunctions().length > 0;
  const asked = useAnswer(
    "/api/v1/top",
    pattern === "" || part
      ? null
      : { ...functionSelection(address.value), match: pattern, limit: 1, sort: "total" },
  );
  const marks = handle?.graph.state.value.marks ?? null;
  const basis = handle?.graph.state.value.basis ?? null;
  let found: Found | null = null;
  if (expression && marks && basis) {
    const of = marks.hits.length;
    const place = { at: (handle?.hit.value ?? -1) + 1, of };
    const top = asked.value;
    if (!part && top && !asked.stale && top.basis.value > 0) {
      found = { text: sentence(top.matched_total / top.basis.value, top.matched), ...place };
    } else if (part || asked.error) {
      const whole = handle?.graph.layout.total ?? 0;
      found = { text: sentence(whole > 0 ? marks.weight / whole : 0, marks.found), ...place };
    }
  }
  useFound(found);
  useStep(
    useCallback(
      (by: 1 | -1) => {
        handle?.visitHit(by);
      },
      [handle],
    ),
  );
}

function sentence(share: number, functions: number): string {
  return `${percent(share)} in ${functions} ${functions === 1 ? "function" : "functions"}`;
}
