// What is shown where the server wants to know who asks: the way to the identity provider, and
// a place for a token.

import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../api/error";
import { loginAddress, lookWho, session, signIn } from "../api/session";
import { Command } from "../parts/command";

export function SignIn({ why }: { why: ApiError }) {
  const provider = session.value.sign_in ?? "";
  // The server may have been open when the page was loaded.
  useEffect(() => {
    void lookWho();
  }, [why]);
  return (
    <main id="view" tabIndex={-1}>
      <div class="state token">
        <h1 class="state-title">{provider === "" ? "Token required" : "Sign in"}</h1>
        {provider !== "" && (
          <p>
            <a class="button primary" href={loginAddress()}>
              Sign in with {provider}
            </a>
          </p>
        )}
        <TokenForm other={provider !== ""} />
      </div>
    </main>
  );
}

function TokenForm({ other }: { other: boolean }) {
  const [text, setText] = useState("");
  const [failed, setFailed] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        if (text.trim() === "") return;
        setBusy(true);
        void signIn(text.trim()).then((error) => {
          setBusy(false);
          setFailed(error);
        });
      }}
    >
      {failed && (
        <p role="alert">
          {failed.status === 401 ? "Token rejected" : "Not signed in"}: {failed.message}.
        </p>
      )}
      <p>{other ? "Or use a token. " : ""}Your administrator creates one:</p>
      <Command text="whyhot-server token create --scope read" />
      <p class="row">
        <label>
          <span class="offscreen">Token</span>
          <input
            type="password"
            autoComplete="current-password"
            placeholder="whyhot_…"
            value={text}
            onInput={(e) => {
              setText(e.currentTarget.value);
            }}
          />
        </label>
        <button type="submit" class={other ? "" : "primary"} disabled={busy}>
          Sign in
        </button>
      </p>
      <p class="quiet">This browser stays signed in for 30 days, and does not keep the token.</p>
    </form>
  );
}
