// The flame graph: from callers to callees.

import { GraphView } from "../../parts/graph/graphview";

export function FlameGraphView() {
  return <GraphView name="flame" label="Flame graph, from callers to callees" root="callers" />;
}
