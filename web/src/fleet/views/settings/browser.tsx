// What this browser keeps: the token that it sends.

import { setToken, token } from "../../api/client";

export function Browser() {
  if (token() === "") return null;
  return (
    <section aria-labelledby="browser">
      <h2 id="browser">This browser</h2>
      <p>It keeps a token and sends it with every question.</p>
      <button
        type="button"
        onClick={() => {
          setToken("");
        }}
      >
        Forget the token
      </button>
    </section>
  );
}
