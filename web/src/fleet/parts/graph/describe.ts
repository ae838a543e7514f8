// What is known of one frame, in words.

import { childSum, OTHERS } from "../../../data/layout";
import type { Basis } from "../../../data/columns";
import { shareError } from "../../../data/measure";
import { originLabel } from "../../../draw/palette";
import { percent, percentError, quantity } from "../../../format/number";
import type { Place } from "../../../graph/flameview";
import type { FrameText } from "../../../graph/tooltip";
import { cores, coresText } from "../cores";
import { billText, type Prices } from "../prices";
import { ROOT, type FunctionTable } from "./functions";

export function shareText(weight: number, basis: Basis): string {
  const share = basis.value > 0 ? weight / basis.value : 0;
  return `${percent(share)} ${percentError(shareError(share, basis.read))}`;
}

function told(weight: number, basis: Basis, prices: Prices | null): string {
  const n = cores(weight, basis);
  return `${coresText(n)} cores${billText(n, prices)}`;
}

// describe says a frame's own weight only where it means something: in a tree that was
// turned round, a frame's own weight is that of the stacks which begin there.
export function describe(
  place: Place,
  functions: FunctionTable,
  basis: Basis,
  withOwn: boolean,
  prices: Prices | null,
): FrameText {
  const { layout, node, level } = place;
  const fn = layout.fn[node];
  const weight = layout.width[node];
  const time = quantity(weight, basis.unit, "cpu");
  const here = `${shareText(weight, basis)} · ${told(weight, basis, prices)} · ${time}`;
  const nothing = { library: "", source: "", origin: "", own: "", everywhere: "" };
  if (fn === OTHERS) {
    return { ...nothing, name: "calls too small to tell apart at this zoom", here };
  }
  const name = functions.nameOf(fn);
  if (fn === ROOT) return { ...nothing, name, here };
  const file = functions.files[functions.file[fn]];
  const line = functions.line[fn];
  return {
    name,
    library: functions.binaries[functions.binary[fn]],
    source: file === "" || line <= 0 ? file : `${file}:${line}`,
    origin: originLabel(functions.origins[fn]),
    here,
    own: withOwn ? shareText(weight - childSum(layout, level, node), basis) : "",
    everywhere: "",
  };
}
