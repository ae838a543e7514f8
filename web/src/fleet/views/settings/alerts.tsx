// The alerts of the project: selections whose cost is watched, and where they stand.

import { useAnswer } from "../../api/answer";
import type { Answer } from "../../api/client";
import { percent, percentError } from "../../../format/number";
import { coresText } from "../../parts/cores";
import { Failure } from "../../parts/failure";
import { day } from "../../parts/time";

type Alert = Answer<"/api/v1/alerts">["alerts"][number];

export function Alerts() {
  const { value, error, retry } = useAnswer("/api/v1/alerts", {});
  if (!value) return error ? <Failure error={error} retry={retry} /> : null;
  return (
    <section aria-labelledby="alerts">
      <h2 id="alerts">Alerts</h2>
      {value.alerts.length === 0 ? (
        <p class="quiet">
          There are none. The file of <code>--messages</code> has them, under <code>alerts</code>.
        </p>
      ) : (
        <div class="scroll" role="region" aria-label="Alerts and where they stand" tabIndex={0}>
          <table class="plain">
            <thead>
              <tr>
                <th>Alert</th>
                <th>State</th>
                <th>Of</th>
                <th>Fires</th>
                <th class="number">Share</th>
                <th class="number">Cores</th>
              </tr>
            </thead>
            <tbody>
              {value.alerts.map((a) => (
                <tr key={a.name}>
                  <td>{a.name}</td>
                  <td class="wrap">{state(a)}</td>
                  <td class="wrap">{chosen(a)}</td>
                  <td class="wrap">{a.limit}</td>
                  <td class="number">
                    {percent(a.now.share)} {percentError(a.now.error)}
                  </td>
                  <td class="number">{coresText(a.now.cores)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function state(a: Alert): string {
  if (a.failed !== undefined) return a.failed;
  if (a.firing) return `Firing since ${day(Date.parse(a.firing_since ?? ""))}`;
  if (a.beyond_since !== undefined)
    return `Beyond its limit since ${day(Date.parse(a.beyond_since))}`;
  if (a.now.chosen === 0) return "No samples";
  return "Within its limit";
}

function chosen(a: Alert): string {
  const parts = [a.function, a.services.join(", "), a.where].filter(
    (p) => p !== undefined && p !== "",
  );
  return parts.length === 0 ? "all services" : parts.join(" in ");
}
