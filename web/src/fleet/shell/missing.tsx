// Said while answers lack a part of the samples: shares are of the rest.

import { missing } from "../api/missing";

export function Missing() {
  if (missing.value === "") return null;
  return (
    <div class="banner" role="status">
      <span>
        A part of the samples cannot be queried now ({missing.value}). What is shown is about the
        rest.
      </span>
    </div>
  );
}
