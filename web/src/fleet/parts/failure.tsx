// What is shown where an answer should be and is not: why, and what to do next.

import type { ComponentChildren } from "preact";
import { Choices, waysOut } from "./choices";
import { passing, type ApiError } from "../api/error";

export function Failure({ error, retry }: { error: ApiError; retry?: () => void }) {
  const cancelled = error.kind === "cancelled";
  return (
    <div class="state" role={cancelled ? "status" : "alert"}>
      <p class="state-title">{sentence(error.message)}</p>
      {error.help !== "" && <p>{error.help}</p>}
      {retry && passing(error) && <p>Retrying automatically.</p>}
      <Choices of={waysOut(error)} />
      {retry && (
        <p>
          <button type="button" onClick={retry}>
            {cancelled ? "Ask again" : "Try again"}
          </button>
        </p>
      )}
    </div>
  );
}

// FailureBanner stands above an older answer.
export function FailureBanner(props: { error: ApiError; retry: () => void }) {
  return (
    <div class={props.error.kind === "cancelled" ? "banner calm" : "banner"}>
      <Failure {...props} />
    </div>
  );
}

// Empty says that there is nothing, and what to do about it.
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state" role="status">
      <p class="state-title">{title}</p>
      {children}
    </div>
  );
}

// The server's details begin small, as Go's errors do.
function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
