// The tokens of the project: who may send, read and administer.

import { useState } from "preact/hooks";
import { useAnswer } from "../../api/answer";
import { refresh, type Answer } from "../../api/client";
import type { components } from "../../api/schema";
import { session } from "../../api/session";
import { Command } from "../../parts/command";
import { Failure } from "../../parts/failure";
import { day } from "../../parts/time";
import { useSending } from "./send";

type Tokens = Answer<"/api/v1/tokens">;
type Token = Tokens["tokens"][number];
type Scope = components["schemas"]["Scope"];

const MEANING: Readonly<Record<Scope, string>> = {
  read: "read: people who look",
  send: "send: agents and CI",
  metrics: "metrics: Prometheus",
  administer: "administer: this page of settings",
};

export function TokenList() {
  const asked = useAnswer("/api/v1/tokens", {});
  const { value, error } = asked;
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      {error?.status === 403 ? (
        <p class="quiet">
          {session.value.by === "person"
            ? "Your account may not administer this project: ask your administrator."
            : "The token of this browser may not administer: ask your administrator."}
        </p>
      ) : (
        error && <Failure error={error} retry={asked.retry} />
      )}
      {value?.open === true && (
        <>
          <p>
            There are none: everybody on this machine may do everything, and nobody else anything.
            The first token closes the server to callers without one. Create it on the server:
          </p>
          <Command text="whyhot-server token create --scope read,send,administer --data DIR" />
        </>
      )}
      {value?.open === false && <Listed tokens={value} />}
    </section>
  );
}

function Listed({ tokens }: { tokens: Tokens }) {
  const { busy, error, send } = useSending();
  const [sure, setSure] = useState("");
  const made = tokens.tokens.some((t) => t.made_by !== undefined);
  const revoke = (t: Token): void => {
    if (sure !== t.id) {
      setSure(t.id);
      return;
    }
    void send("/api/v1/tokens/{id}/revoke", { id: t.id }).then((done) => {
      setSure("");
      if (done) refresh();
    });
  };
  return (
    <>
      <div class="scroll" role="region" aria-label="List of tokens" tabIndex={0}>
        <table class="plain">
          <thead>
            <tr>
              <th>Name</th>
              <th>May</th>
              <th>Made</th>
              {made && <th>Made by</th>}
              <th>Ends</th>
              <th>State</th>
              <th>
                <span class="offscreen">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tokens.tokens.map((t) => (
              <tr key={t.id}>
                <td title={t.id}>{t.name ?? t.id}</td>
                <td>{t.scopes.join(", ")}</td>
                <td>{day(Date.parse(t.created))}</td>
                {made && <td>{t.made_by ?? "on the server"}</td>}
                <td>{t.expires === undefined ? "never" : day(Date.parse(t.expires))}</td>
                <td>{t.id === tokens.own ? `${t.state}, this one` : t.state}</td>
                <td>
                  {t.state === "valid" && t.id !== tokens.own && (
                    <button
                      type="button"
                      disabled={busy}
                      onBlur={() => {
                        setSure("");
                      }}
                      onClick={() => {
                        revoke(t);
                      }}
                    >
                      {sure === t.id ? "Confirm revoke" : "Revoke"}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {error && <Failure error={error} />}
      <Create scopes={tokens.scopes} />
    </>
  );
}

const LIVES: readonly (readonly [string, string])[] = [
  ["", "never"],
  ["720h", "in 30 days"],
  ["8760h", "in a year"],
];

function Create({ scopes }: { scopes: readonly Scope[] }) {
  const { busy, error, send } = useSending();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly Scope[]>([]);
  const [life, setLife] = useState("");
  const [secret, setSecret] = useState("");
  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        const parameters = {
          scope: chosen.join(","),
          name: name === "" ? undefined : name,
          expires: life === "" ? undefined : life,
        };
        void send<{ secret: string }>("/api/v1/tokens", parameters).then((made) => {
          if (!made) return;
          setSecret(made.secret);
          setName("");
          refresh();
        });
      }}
    >
      <h3>New token</h3>
      <label>
        Name
        <input
          maxLength={100}
          placeholder="agents of the shop"
          value={name}
          onInput={(e) => {
            setName(e.currentTarget.value);
          }}
        />
      </label>
      <fieldset>
        <legend>May</legend>
        {scopes.map((s) => (
          <label key={s} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(s)}
              onChange={(e) => {
                const rest = chosen.filter((c) => c !== s);
                setChosen(e.currentTarget.checked ? [...rest, s] : rest);
              }}
            />
            {MEANING[s]}
          </label>
        ))}
      </fieldset>
      <label>
        Ends
        <select
          value={life}
          onChange={(e) => {
            setLife(e.currentTarget.value);
          }}
        >
          {LIVES.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <p class="row">
        <button type="submit" class="primary" disabled={busy || chosen.length === 0}>
          Create
        </button>
      </p>
      {error && <Failure error={error} />}
      {secret !== "" && (
        <div role="status">
          <p>Copy it now: it is not shown again.</p>
          <Command text={secret} />
        </div>
      )}
    </form>
  );
}
