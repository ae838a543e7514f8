// What a core costs: from it the views work out money and CO₂.

import { useEffect, useRef, useState } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import { refresh } from "../../api/client";
import { Failure } from "../../parts/failure";
import { yearly, type Prices } from "../../parts/prices";
import { useSending } from "./send";

interface Typed {
  readonly core: string;
  readonly currency: string;
  readonly co2: string;
}

function typedOf(p: Prices): Typed {
  const text = (n: number | undefined): string => (n === undefined ? "" : String(n));
  return {
    core: text(p.core_hour),
    currency: p.currency ?? "",
    co2: text(p.co2_grams_per_core_hour),
  };
}

function pricesOf(t: Typed): Prices {
  const out: Prices = {};
  if (t.core !== "" && Number(t.core) > 0) out.core_hour = Number(t.core);
  if (t.currency !== "" && out.core_hour !== undefined) out.currency = t.currency;
  if (t.co2 !== "" && Number(t.co2) > 0) out.co2_grams_per_core_hour = Number(t.co2);
  return out;
}

export function PriceForm() {
  const asked = useAnswer("/api/v1/prices", {});
  const [typed, setTyped] = useState<Typed>({ core: "", currency: "", co2: "" });
  const [said, setSaid] = useState("");
  const { busy, error, send } = useSending();
  const may = useAnswer("/api/v1/projects", {}).value?.scopes.includes("administer") === true;
  // What is typed and not saved stays when the page asks again.
  const touched = useRef(false);
  useEffect(() => {
    if (asked.value && !touched.current) setTyped(typedOf(asked.value));
  }, [asked.value]);
  const change = (part: Partial<Typed>): void => {
    touched.current = true;
    setSaid("");
    setTyped({ ...typed, ...part });
  };
  const prices = pricesOf(typed);
  const example = yearly(1, prices);
  return (
    <section aria-labelledby="prices">
      <h2 id="prices">Prices</h2>
      <p class="quiet">What a busy core costs you. Every view that shows cores then shows it.</p>
      {asked.error && <Failure error={asked.error} retry={asked.retry} />}
      <form
        onSubmit={(e) => {
          e.preventDefault();
          void send<Prices>("/api/v1/prices", {}, prices).then((set) => {
            if (!set) return;
            touched.current = false;
            setSaid("Saved.");
            refresh();
          });
        }}
      >
        <label>
          An hour of a core
          <span class="row">
            <Amount
              fixed={!may}
              example="0.04"
              value={typed.core}
              set={(value) => {
                change({ core: value });
              }}
            />
            <input
              class="short"
              aria-label="Currency"
              placeholder="EUR"
              maxLength={8}
              readOnly={!may}
              required={typed.core !== ""}
              value={typed.currency}
              onInput={(e) => {
                change({ currency: e.currentTarget.value.trim() });
              }}
            />
          </span>
        </label>
        <label>
          CO₂ of it, in grams
          <Amount
            fixed={!may}
            example="5"
            value={typed.co2}
            set={(value) => {
              change({ co2: value });
            }}
          />
        </label>
        <p class="row">
          {may && (
            <button type="submit" class="primary" disabled={busy}>
              Save
            </button>
          )}
          <span role="status">
            {said === "" && example !== "" ? `One core for a year: ${example}` : said}
          </span>
        </p>
        {error && <Failure error={error} />}
      </form>
    </section>
  );
}

interface AmountProps {
  readonly fixed: boolean; // it is shown and not changed
  readonly example: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

function Amount({ fixed, example, value, set }: AmountProps) {
  return (
    <input
      type="number"
      min="0"
      step="any"
      inputMode="decimal"
      readOnly={fixed}
      placeholder={fixed ? "" : example}
      value={value}
      onInput={(e) => {
        set(e.currentTarget.value);
      }}
    />
  );
}
