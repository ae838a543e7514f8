// CPU as numbers: shares with their error, cores, and what an answer rests on.

import type { components } from "../api/schema";
import { integer, percent, percentError } from "../../format/number";
import { address, go } from "../state/navigation";

export type Basis = components["schemas"]["Basis"];

// seconds is the length of the time that an answer is about.
export function seconds(basis: Basis): number {
  return Math.max(0, (Date.parse(basis.to) - Date.parse(basis.from)) / 1000);
}

const UNITS: Readonly<Record<string, number>> = { nanoseconds: 1e9, microseconds: 1e6, seconds: 1 };

// cores are how many processors a weight kept busy on average.
export function cores(weight: number, basis: Basis): number {
  const length = seconds(basis);
  return length > 0 ? weight / (UNITS[basis.unit] ?? 1e9) / length : 0;
}

export function coresText(n: number): string {
  if (n === 0) return "0";
  if (Math.abs(n) < 0.001) return "<0.001";
  if (Math.abs(n) >= 1000) return integer(n);
  return n.toFixed(Math.abs(n) < 0.1 ? 3 : Math.abs(n) < 10 ? 2 : 1);
}

export function shareOf(weight: number, basis: Basis): number {
  return basis.value > 0 ? weight / basis.value : 0;
}

// Share is a weight as a part of all, "12.3% ± 0.4", over a bar of that length.
export function Share(props: { weight: number; basis: Basis; error?: number; bar?: boolean }) {
  const share = shareOf(props.weight, props.basis);
  return (
    <span class="share">
      {props.bar !== false && (
        <i class="bar" style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
      )}
      <span>{percent(share)}</span>
      {props.error !== undefined && <small>{percentError(props.error)}</small>}
    </span>
  );
}

export function Cores({ weight, basis }: { weight: number; basis: Basis }) {
  return <span class="cores">{coresText(cores(weight, basis))}</span>;
}

// Precision says what an answer rests on, and gives the exact one where it is none.
export function Precision({ basis }: { basis: Basis }) {
  const estimate = basis.level > 0;
  return (
    <p class="precision">
      <span>
        {coresText(cores(basis.value, basis))} cores · {integer(basis.count)} samples
      </span>
      {estimate ? (
        <>
          <span
            title={`The answer was estimated from ${integer(basis.read)} of them. A share of one half has this error (95 %).`}
          >
            estimated, {percentError(basis.share_error)}%
          </span>
          <button
            type="button"
            class="link"
            onClick={() => {
              go({ exact: true });
            }}
          >
            Exact
          </button>
        </>
      ) : (
        <span>
          exact
          {address.value.exact && (
            <>
              {" "}
              <button
                type="button"
                class="link"
                title="Large ranges are answered faster from a part of the samples, with their error"
                onClick={() => {
                  go({ exact: false });
                }}
              >
                Estimates again
              </button>
            </>
          )}
        </span>
      )}
      {(basis.cut ?? 0) > 0 && (
        <span title="Stacks that were longer than the store keeps">
          {percent(shareOf(basis.cut ?? 0, basis))} cut
        </span>
      )}
      {(basis.merged ?? 0) > 0 && (
        <span title="Of series that the store put together because there were too many">
          {percent(shareOf(basis.merged ?? 0, basis))} merged
        </span>
      )}
    </p>
  );
}
