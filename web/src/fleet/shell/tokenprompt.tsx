// What is shown where the server wants a token: a place for it, and where it comes from.

import { useState } from "preact/hooks";
import { setToken, token } from "../api/client";
import type { ApiError } from "../api/error";

export function TokenPrompt({ why }: { why: ApiError }) {
  const [text, setText] = useState("");
  return (
    <main id="view" tabIndex={-1}>
      <form
        class="state token"
        onSubmit={(e) => {
          e.preventDefault();
          if (text.trim() !== "") setToken(text.trim());
        }}
      >
        <h1 class="state-title">Token required</h1>
        {token() !== "" && (
          <p role="alert">The one that this browser has is not taken: {why.message}.</p>
        )}
        <p>
          Your administrator creates one: <code>whyhot-server token create --scope read</code>
        </p>
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
          <button type="submit" class="primary">
            Open
          </button>
        </p>
        <p class="quiet">It is kept in this browser until settings forget it.</p>
      </form>
    </main>
  );
}
