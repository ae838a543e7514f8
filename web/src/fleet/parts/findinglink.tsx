// A link to a finding, unfolded.

import { ownChange } from "../state/navigation";
import type { Kept } from "./finding";
import { Go } from "./go";

// OPEN names in the address which finding is unfolded.
export const OPEN = "findings.open";

// keyOf is how OPEN has a finding: one may be found in several services.
export function keyOf(k: Kept): string {
  return `${k.finding.id}@${k.service}`;
}

export function FindingLink({ kept }: { kept: Kept }) {
  return (
    <Go to={{ view: "findings", ...ownChange({ [OPEN]: keyOf(kept) }) }}>{kept.finding.title}</Go>
  );
}
