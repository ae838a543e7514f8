// Who is signed in with this browser, and the way out.

import { useState } from "preact/hooks";
import type { ApiError } from "../../api/error";
import { session, signOut } from "../../api/session";
import { Failure } from "../../parts/failure";
import { day } from "../../parts/time";

export function Browser() {
  const [failed, setFailed] = useState<ApiError | null>(null);
  const { by, name, email, until } = session.value;
  if (by === undefined) return null;
  const who = by === "token" ? `with the token ${name ?? ""}` : `as ${name ?? ""}`;
  const address = email !== undefined && email !== name ? ` (${email})` : "";
  return (
    <section aria-labelledby="browser">
      <h2 id="browser">This browser</h2>
      <p>
        It is signed in {who}
        {address}
        {until === undefined ? "" : `, until ${day(Date.parse(until))} at the latest`}.
      </p>
      <button
        type="button"
        onClick={() => {
          void signOut().then(setFailed);
        }}
      >
        Sign out
      </button>
      {failed && <Failure error={failed} />}
    </section>
  );
}
