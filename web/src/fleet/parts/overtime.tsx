// A function over time, as a dialog: the menu of a function opens it, wherever one is shown.

import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { shortName } from "../../format/name";
import { useAnswer } from "../api/answer";
import { functionSelection } from "../state/address";
import { format } from "../state/moment";
import { address, go } from "../state/navigation";
import { theme } from "../state/theme";
import { Waiting } from "./answered";
import { Failure } from "./failure";
import { Chart } from "./timeline/chart";
import { lineColor } from "./timeline/colors";
import { functionLines } from "./timeline/lines";

interface Subject {
  readonly id: number;
  readonly name: string;
}

const STEPS = 120;

const shown = signal<Subject | null>(null);

export function openOverTime(fn: Subject): void {
  shown.value = fn;
}

export function OverTime() {
  const fn = shown.value;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (fn) dialog.current?.showModal();
  }, [fn]);
  if (!fn) return null;
  const close = (): void => {
    shown.value = null;
  };
  return (
    <dialog
      ref={dialog}
      class="help over-time"
      aria-labelledby="over-time-title"
      onClose={close}
      onClick={(e) => {
        if (e.target === dialog.current) dialog.current?.close();
      }}
    >
      <header>
        <h2 id="over-time-title" class="clip" title={fn.name}>
          {fn.name === "" ? "(no name)" : shortName(fn.name)} over time
        </h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <Course id={fn.id} close={close} />
    </dialog>
  );
}

function Course({ id, close }: { id: number; close: () => void }) {
  const question = { ...functionSelection(address.value), function: [String(id)], steps: STEPS };
  const self = useAnswer("/api/v1/history", { ...question, sort: "self" });
  const total = useAnswer("/api/v1/history", { ...question, sort: "total" });
  const lines = useMemo(
    () => (self.value && total.value ? functionLines(self.value, total.value) : null),
    [self.value, total.value],
  );
  const failed = self.error ?? total.error;
  if (!lines) return failed ? <Failure error={failed} retry={total.retry} /> : <Waiting />;
  if (lines.lines.every((l) => l.weight === 0))
    return <p class="quiet">It has no samples in this selection.</p>;
  return (
    <>
      <Chart
        shown={lines}
        label="Cores of the function over time"
        choose={(from, to) => {
          close();
          go({ from: format(from * 1000), to: format(to * 1000) });
        }}
      />
      <p class="row">
        {lines.lines.map((l) => (
          <span key={l.value} class="labelled">
            <i class="swatch" style={{ background: lineColor(l.color, false, theme.value) }} />
            {l.value}
          </span>
        ))}
      </p>
    </>
  );
}
