// The filter by any labels: a condition as text, with what can come next below it.

import { useCallback, useState } from "preact/hooks";
import { useAnswer } from "../api/answer";
import { request } from "../api/client";
import { questionOf } from "../api/answer";
import { asApiError, type ApiError } from "../api/error";
import { complete, next } from "../parts/conditions";
import { Popover } from "../parts/popover";
import { selection } from "../state/address";
import { address, go } from "../state/navigation";
import { percent } from "../../format/number";

const MOST = 100; // words in the list

export function ConditionFilter() {
  const { where } = address.value;
  return (
    <Popover
      label={<span class="clip">{where === "" ? "Labels" : where}</span>}
      title="Labels"
      class={where === "" ? "conditions" : "conditions set"}
    >
      {(close) => <Condition close={close} />}
    </Popover>
  );
}

function Condition({ close }: { close: () => void }) {
  const { where } = address.value;
  const [text, setText] = useState(where);
  const [error, setError] = useState<ApiError | null>(null);
  const [at, setAt] = useState(-1);
  const focused = useCallback((e: HTMLInputElement | null) => {
    e?.focus({ preventScroll: true });
  }, []);
  const words = useWords(text);
  const write = (to: string): void => {
    setText(to);
    setError(null);
    setAt(-1);
  };
  // Only what the server can read goes into the address: else every view would fail.
  const show = async (condition: string): Promise<void> => {
    const wanted = condition.trim();
    try {
      if (wanted !== "")
        await request(
          questionOf("/api/v1/labels/service", { ...selection(address.peek()), where: wanted }),
          {},
        );
      go({ where: wanted });
      close();
    } catch (e) {
      setError(asApiError(e));
    }
  };
  const choose = (word: string): void => {
    const place = next(text);
    if (place) write(complete(text, place, word));
  };
  return (
    <form
      class="condition"
      onSubmit={(e) => {
        e.preventDefault();
        void show(text);
      }}
    >
      <input
        ref={focused}
        class="narrow"
        role="combobox"
        aria-label="Condition on labels"
        aria-expanded={words.list.length > 0}
        aria-controls="condition-words"
        aria-activedescendant={at >= 0 ? `condition-word-${at}` : undefined}
        aria-invalid={error !== null}
        spellcheck={false}
        autocomplete="off"
        placeholder={'pod=~"web-.*" and not thread="gc"'}
        value={text}
        onInput={(e) => {
          write(e.currentTarget.value);
        }}
        onKeyDown={(e) => {
          const last = words.list.length - 1;
          if (e.key === "ArrowDown") setAt(Math.min(last, at + 1));
          else if (e.key === "ArrowUp") setAt(Math.max(-1, at - 1));
          else if ((e.key === "Enter" || e.key === "Tab") && at >= 0) choose(words.list[at].word);
          else return;
          e.preventDefault();
        }}
      />
      {error && (
        <p class="wrong" role="alert">
          {error.message}
        </p>
      )}
      <ul id="condition-words" class="values" role="listbox" aria-label={words.title}>
        {words.list.map((w, i) => (
          <li
            key={w.word}
            id={`condition-word-${i}`}
            role="option"
            aria-selected={i === at}
            onMouseDown={(e) => {
              e.preventDefault(); // the text keeps the focus, to go on
            }}
            onClick={() => {
              choose(w.word);
            }}
          >
            <span class="clip">{w.word === "" ? "(none)" : w.word}</span>
            <small>{w.fact}</small>
          </li>
        ))}
      </ul>
      {words.hint !== "" && <p class="quiet">{words.hint}</p>}
      <div class="choices">
        <button type="submit">Show</button>
        {where !== "" && (
          <button
            type="button"
            onClick={() => {
              void show("");
            }}
          >
            All
          </button>
        )}
      </div>
    </form>
  );
}

interface Words {
  readonly title: string;
  readonly list: readonly { readonly word: string; readonly fact: string }[];
  readonly hint: string;
}

// useWords lists what can come next at the end of a text.
function useWords(text: string): Words {
  const place = next(text);
  const others = { ...selection(address.value) };
  delete others.where;
  const keys = useAnswer("/api/v1/labels", others);
  const known = keys.value?.keys.some((k) => k.key === place?.key) ?? false;
  const values = useAnswer(
    "/api/v1/labels/{dimension}",
    place?.kind === "value" && known ? { ...others, dimension: place.key } : null,
  );
  if (!place) return { title: "", list: [], hint: "Go on with and, or; not stands before." };
  const fits = (word: string): boolean => word.toLowerCase().includes(place.typed.toLowerCase());
  if (place.kind === "key") {
    const list = (keys.value?.keys ?? [])
      .filter((k) => k.values > 0 && fits(k.key))
      .map((k) => ({ word: k.key, fact: k.values === 1 ? "1 value" : `${k.values} values` }));
    return { title: "Labels", list: list.slice(0, MOST), hint: "Then =, !=, =~ or !~." };
  }
  const all = (values.value?.values ?? []).reduce((sum, v) => sum + v.weight, 0);
  const list = (values.value?.values ?? [])
    .filter((v) => fits(v.value))
    .map((v) => ({ word: v.value, fact: percent(all > 0 ? v.weight / all : 0) }));
  return { title: place.key, list: list.slice(0, MOST), hint: "" };
}
