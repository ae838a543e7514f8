// Where a surprise leads to.

import type { Answer } from "../../api/client";
import type { Address } from "../../state/address";

type Surprise = Answer<"/api/v1/surprises">["surprises"][number];

// whereTo is the table of functions with what it is about: a search for its name, or the
// functions of a family.
export function whereTo(s: Pick<Surprise, "kind" | "name">): Partial<Address> {
  if (s.kind === "family") return { view: "top", own: { "top.family": s.name } };
  return { view: "top", query: s.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") };
}
