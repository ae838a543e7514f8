// The search box: what the view in front found, next and previous.

import { useEffect, useRef, useState } from "preact/hooks";
import { address, adjust } from "../state/navigation";
import { found, search, step } from "../state/search";
import { SEARCH_BOX } from "./keys";

const DELAY = 120; // ms

export function SearchBox() {
  const { query } = address.value;
  const [text, setText] = useState(query);
  const timer = useRef(0);
  useEffect(() => {
    setText(query);
  }, [query]);
  const say = (value: string, wait: number): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      adjust({ query: value });
    }, wait);
  };
  const { error, expression } = search.value;
  const result = found.value;
  const shown = error !== "" ? error : expression !== null ? (result?.text ?? "") : "";
  return (
    <div class="searching" role="search">
      <label class={error === "" ? "search" : "search failed"}>
        <kbd aria-hidden="true">/</kbd>
        <input
          id={SEARCH_BOX}
          type="search"
          placeholder="Search: function, binary, file"
          aria-label="Search functions, binaries and files by regular expression"
          aria-invalid={error !== ""}
          aria-describedby="search-result"
          spellcheck={false}
          autoComplete="off"
          value={text}
          onInput={(e) => {
            setText(e.currentTarget.value);
            say(e.currentTarget.value, DELAY);
          }}
          onKeyDown={(e) => {
            if (e.key === "Escape") {
              e.preventDefault();
              e.stopPropagation();
              if (text === "") e.currentTarget.blur();
              setText("");
              say("", 0);
            } else if (e.key === "Enter") {
              e.preventDefault();
              if (text !== address.peek().query) say(text, 0);
              else step(e.shiftKey ? -1 : 1);
            }
          }}
        />
      </label>
      {expression !== null && result?.of !== undefined && (
        <span class="steps" role="group" aria-label="Hits">
          <button
            type="button"
            aria-label="Previous hit"
            title="Previous hit (N)"
            disabled={result.of === 0}
            onClick={() => {
              step(-1);
            }}
          >
            ‹
          </button>
          <span>
            {result.at ?? 0}/{result.of}
          </span>
          <button
            type="button"
            aria-label="Next hit"
            title="Next hit (n)"
            disabled={result.of === 0}
            onClick={() => {
              step(1);
            }}
          >
            ›
          </button>
        </span>
      )}
      <output
        id="search-result"
        class={error === "" ? "result" : "result failed"}
        aria-live="polite"
      >
        {shown}
      </output>
    </div>
  );
}
