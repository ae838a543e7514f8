// A click in the call graph walks to a caller or callee: unlike the choice of a function in
// other views, which Back passes over, it is a step that Back takes back.

import { go } from "../../state/navigation";
import type { Fn } from "./graph";

export function walkTo(fn: Fn): (e: MouseEvent) => void {
  return (e) => {
    if (e.shiftKey || e.button !== 0) return;
    e.preventDefault();
    e.stopPropagation();
    go({ view: "callgraph", fn: fn.id });
  };
}
