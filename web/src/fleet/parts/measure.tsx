// CPU as numbers: shares with their error, cores, and what an answer rests on.

import { counted, duration, integer, percent, percentError } from "../../format/number";
import { address, go } from "../state/navigation";
import { cores, coresText, uncovered, type Basis } from "./cores";
import { Bill } from "./prices";

export { cores, coresText, type Basis } from "./cores";

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
  return (
    <p class="precision" role="status">
      <span>
        {coresText(cores(basis.value, basis))} cores
        <Bill weight={basis.value} basis={basis} />
        {uncovered(basis) && (
          <span title="What the project has samples of: cores are divided by that">
            {" "}
            over {duration(basis.covered_seconds)} with samples
          </span>
        )}
        {" · "}
        {counted(basis.count, "sample")}
      </span>
      <Exactness of={[basis]} />
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

// Exactness says whether answers that are shown together were estimated, and with what
// error, and changes that.
export function Exactness({ of }: { of: readonly Basis[] }) {
  if (of.some((basis) => basis.level > 0)) {
    const read = of.map((basis) => integer(basis.read)).join(" and ");
    return (
      <>
        <span
          title={`The answer was estimated from ${read} of them. A share of one half has this error (95%).`}
        >
          estimated, {percentError(Math.max(...of.map((basis) => basis.share_error)))}%
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
    );
  }
  return (
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
  );
}
