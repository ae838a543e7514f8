// Where a flame view gets its layout from.

import type { Layout } from "../data/layout";

export interface LayoutSource {
  readonly layout: Layout;
  // show is called before each painting with the range in view; a source that
  // has less detail than that starts getting it and calls changed when done.
  show(from: number, to: number, pixels: number): void;
  changed: () => void;
}

export function fixedSource(layout: Layout): LayoutSource {
  return { layout, show: () => undefined, changed: () => undefined };
}

// nothing stands in until there is something.
export function nothing(): Layout {
  const none = new Float64Array(0);
  return {
    total: 0,
    levels: 0,
    first: Int32Array.of(0),
    fn: new Int32Array(0),
    line: null,
    start: none,
    width: none,
  };
}
