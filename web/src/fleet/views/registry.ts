// The views by name, in the order of the navigation. A view takes nothing: it reads
// the address and asks the server. To add one, write its folder and a line here.

import type { FunctionComponent } from "preact";
import type { ViewName } from "../state/address";
import { FlameGraphView } from "./flame";
import { ReverseView } from "./reverse";
import { SandwichView } from "./sandwich";
import { Overview } from "./overview";
import { TopView } from "./top";
import { CallGraph } from "./callgraph";
import { Compare } from "./compare";
import { Findings } from "./findings";
import { Lines } from "./lines";
import { Settings } from "./settings";

export interface View {
  readonly name: ViewName;
  readonly title: string; // in the navigation
  readonly key?: string; // the key that opens it
  // about says what the view shows one of: it is reached from others, and only in the
  // navigation once there is one.
  readonly about?: "function";
  readonly component: FunctionComponent;
}

export const REGISTRY: readonly View[] = [
  { name: "overview", title: "Overview", key: "o", component: Overview },
  { name: "top", title: "Top", key: "1", component: TopView },
  { name: "flame", title: "Flame graph", key: "2", component: FlameGraphView },
  { name: "reverse", title: "Reverse", key: "3", component: ReverseView },
  {
    name: "sandwich",
    title: "Callers & callees",
    key: "4",
    about: "function",
    component: SandwichView,
  },
  { name: "callgraph", title: "Call graph", key: "6", component: CallGraph },
  { name: "lines", title: "Lines", key: "7", component: Lines },
  { name: "compare", title: "Compare", key: "8", component: Compare },
  { name: "findings", title: "Findings", key: "9", component: Findings },
  { name: "settings", title: "Settings", component: Settings },
];
