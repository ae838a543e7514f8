// The thin bar of work that takes long, with a way to stop it.

import { useEffect, useState } from "preact/hooks";
import { cancelAll, pending } from "../api/client";

const SLOW = 300; // ms

export function Progress() {
  const busy = pending.value > 0;
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) {
      setSlow(false);
      return;
    }
    const timer = setTimeout(() => {
      setSlow(true);
    }, SLOW);
    return () => {
      clearTimeout(timer);
    };
  }, [busy]);
  return (
    <div class="progress" role="status">
      {slow && busy && (
        <>
          <div class="progress-bar" />
          <button type="button" onClick={cancelAll}>
            Waiting for the server · Cancel (Esc)
          </button>
        </>
      )}
    </div>
  );
}
