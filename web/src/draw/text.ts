// Measuring text without asking the canvas each time: widths of letters are
// remembered, and a label is fitted once for each width it is drawn at.

import { fitName, shortName } from "../format/name";

export const FONT_SIZE = 12; // pixels
export const FONT_FAMILY =
  'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
export const FONT = `${FONT_SIZE}px ${FONT_FAMILY}`;

export class Labels {
  private readonly ascii = new Float32Array(128);
  private readonly others = new Map<string, number>();
  private readonly short: (string | undefined)[] = [];
  private fitted = new Map<number, string>();

  constructor(
    private readonly names: readonly string[],
    private readonly context: CanvasRenderingContext2D,
  ) {
    context.font = FONT;
    for (let c = 32; c < 127; c++) {
      this.ascii[c] = context.measureText(String.fromCharCode(c)).width;
    }
  }

  wholeName(fn: number): string {
    return this.names[fn] ?? "";
  }

  shortName(fn: number): string {
    return (this.short[fn] ??= shortName(this.names[fn] ?? ""));
  }

  // fit caches by 8-pixel steps of room, so that zooming reuses most labels.
  fit(fn: number, room: number): string {
    const step = Math.min(255, room >> 3);
    const key = fn * 256 + step;
    let s = this.fitted.get(key);
    if (s === undefined) {
      if (this.fitted.size > 200_000) this.fitted = new Map();
      s = fitName(this.shortName(fn), step * 8, this.measure);
      this.fitted.set(key, s);
    }
    return s;
  }

  private readonly measure = (s: string): number => {
    let w = 0;
    for (let i = 0; i < s.length; i++) {
      const c = s.charCodeAt(i);
      w += c < 128 ? this.ascii[c] : this.otherWidth(s[i]);
    }
    return w;
  };

  private otherWidth(letter: string): number {
    let w = this.others.get(letter);
    if (w === undefined) {
      this.context.font = FONT;
      w = this.context.measureText(letter).width;
      this.others.set(letter, w);
    }
    return w;
  }
}
