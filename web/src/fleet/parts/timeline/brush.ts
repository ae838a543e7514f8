// Choosing a time in the chart with the keyboard: which steps are under the cursor and
// which are chosen. It knows no chart.

export interface Brush {
  readonly at: number; // the step under the cursor
  readonly anchor: number | null; // where the choice began; null where nothing is chosen
}

const FAR = 10; // steps of Page Up and Page Down

// moved gives null for a key that moves nothing. With shift the choice is stretched,
// without it is none any more. The cursor begins at the end, which is now.
export function moved(
  brush: Brush | null,
  key: string,
  shift: boolean,
  steps: number,
): Brush | null {
  const at = brush?.at ?? steps - 1;
  const to: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    PageDown: at - FAR,
    PageUp: at + FAR,
    Home: 0,
    End: steps - 1,
  };
  if (!(key in to) || steps === 0) return null;
  const next = brush === null && key.startsWith("Arrow") ? at : to[key];
  return {
    at: Math.max(0, Math.min(steps - 1, next)),
    anchor: shift ? (brush?.anchor ?? at) : null,
  };
}

// chosen are the first and the last step of the choice, or the one under the cursor.
export function chosen({ at, anchor }: Brush): readonly [first: number, last: number] {
  return anchor === null ? [at, at] : [Math.min(at, anchor), Math.max(at, anchor)];
}
