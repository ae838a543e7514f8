// The flame graph turned round: from the code that ran to its callers.

import { GraphView } from "../../parts/graph/graphview";

export function ReverseView() {
  return (
    <GraphView
      name="reverse"
      label="Reverse, from the code that ran to its callers"
      root="callees"
    />
  );
}
