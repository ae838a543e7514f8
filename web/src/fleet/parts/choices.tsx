// Ways on from where there is nothing to see, as buttons: each is another address.

import { HOME, isFiltered, UNFILTERED, type Address } from "../state/address";
import { address, go } from "../state/navigation";
import { WORDLESS, type ApiError } from "../api/error";

export interface Choice {
  readonly label: string;
  readonly change: Partial<Address>;
}

export function Choices({ of }: { of: readonly Choice[] }) {
  return (
    <>
      {of.map((c) => (
        <p key={c.label}>
          <button
            type="button"
            onClick={() => {
              go(c.change);
            }}
          >
            {c.label}
          </button>
        </p>
      ))}
    </>
  );
}

// waysOut are for a question that will not be answered otherwise when it is asked again: what
// the address names is not there (404), or no such thing (400).
export function waysOut({ status, kind }: ApiError): readonly Choice[] {
  if ((status !== 404 && status !== 400) || kind === WORDLESS) return [];
  const a = address.value;
  const out: Choice[] = [];
  if (a.from !== HOME.from || a.to !== HOME.to)
    out.push({ label: "Show the last hour", change: { from: HOME.from, to: HOME.to } });
  if (isFiltered(a)) out.push({ label: "Clear the filters", change: UNFILTERED });
  if (status === 404 && a.fn !== 0)
    out.push({ label: "Choose another function", change: { fn: 0 } });
  if (status === 404 && a.project !== "") {
    const change = { ...UNFILTERED, project: "", fn: 0, own: {} };
    out.push({ label: "Show the default project", change });
  }
  return out;
}
