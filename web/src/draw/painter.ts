// Paints the visible part of a layout. It knows pixels and nothing of events.

import { firstVisible, OTHERS, type Layout } from "../data/layout";
import { FONT, type Labels } from "./text";

export const ROW = 20;
const GAP = 1;
const SMALLEST_LABEL = 30;
const LABEL_PADDING = 5;
export const THIN = 0.5; // pixels; what is thinner is joined with its neighbours…
const STRIP = 1; // …in strips of about this

export interface Colors {
  readonly frames: readonly string[]; // by colour index
  readonly background: string;
  readonly text: string;
  readonly marked: string;
  readonly markedText: string;
  readonly others: string;
  readonly outline: string;
}

export interface Scene {
  readonly layout: Layout;
  readonly from: number; // value range across the canvas
  readonly to: number;
  readonly scroll: number; // pixels above the canvas
  readonly width: number;
  readonly height: number;
  readonly ratio: number; // device pixels per CSS pixel
  readonly rootBelow: boolean;
  readonly colorOf: Uint8Array; // by function
  readonly colors: Colors;
  readonly marked: Uint8Array | null; // by function; null when nothing is searched
  // How many marked nodes of the layout go before each; null where nobody counted them.
  readonly markedBefore: Int32Array | null;
  readonly hovered: number; // node of the layout or -1
  readonly selected: number;
}

// rowTop is where a level's row starts, in CSS pixels from the canvas's top.
export function rowTop(s: Scene, level: number): number {
  const row = s.rootBelow ? s.layout.levels - 1 - level : level;
  const slack = s.rootBelow ? Math.max(0, s.height - s.layout.levels * ROW) : 0;
  return row * ROW - s.scroll + slack;
}

export function levelAtY(s: Scene, y: number): number {
  const slack = s.rootBelow ? Math.max(0, s.height - s.layout.levels * ROW) : 0;
  const row = Math.floor((y + s.scroll - slack) / ROW);
  return s.rootBelow ? s.layout.levels - 1 - row : row;
}

// Rectangles are collected by colour and labels by ink first: a canvas changes
// its state slowly and fills fast.
export class Painter {
  private buckets: number[][] = [];
  private readonly labels: (number | string)[] = [];
  private readonly markedLabels: (number | string)[] = [];

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly text: Labels,
  ) {}

  paint(s: Scene): void {
    const c = this.context;
    c.setTransform(s.ratio, 0, 0, s.ratio, 0, 0);
    c.fillStyle = s.colors.background;
    c.fillRect(0, 0, s.width, s.height);
    this.reset(s.colors.frames.length + 2);
    for (let level = 0; level < s.layout.levels; level++) {
      const y = rowTop(s, level);
      if (y + ROW > 0 && y < s.height) this.collect(s, level, y);
    }
    this.fill(s);
    this.write(this.labels, s.colors.text);
    this.write(this.markedLabels, s.colors.markedText);
    this.outline(s, s.hovered, 1);
    this.outline(s, s.selected, 2);
  }

  private reset(count: number): void {
    while (this.buckets.length < count) this.buckets.push([]);
    for (const b of this.buckets) b.length = 0;
    this.labels.length = 0;
    this.markedLabels.length = 0;
  }

  // collect walks one level from the left edge to the right one. Frames thinner than half a
  // pixel are joined into strips, in the colour of the first one or, so that no match goes
  // unseen, of a marked one. What a strip covers is skipped rather than looked at, so that
  // the work is that of the pixels and not of the frames.
  private collect(s: Scene, level: number, y: number): void {
    const { layout, from, to, marked } = s;
    const scale = s.width / (to - from);
    const stop = layout.first[level + 1];
    for (let i = firstVisible(layout, level, from); i < stop;) {
      const start = layout.start[i];
      if (start >= to) break;
      const left = (start - from) * scale;
      const width = layout.width[i] * scale;
      const fn = layout.fn[i];
      if (width >= THIN) {
        const isMarked = marked !== null && fn >= 0 && marked[fn] === 1;
        this.frame(s, i, isMarked, Math.max(-1, left), Math.min(s.width + 1, left + width), y);
        i++;
        continue;
      }
      const next = endOfStrip(layout, i, stop, start + STRIP / scale);
      const last = next - 1;
      const right = (layout.start[last] + layout.width[last] - from) * scale;
      addStrip(this.bucketOf(s, i, hasMark(s, i, next)), left, right, y);
      i = next;
    }
  }

  private frame(
    s: Scene,
    node: number,
    isMarked: boolean,
    left: number,
    right: number,
    y: number,
  ): void {
    const fn = s.layout.fn[node];
    const x0 = Math.round(left * s.ratio) / s.ratio;
    const x1 = Math.round(right * s.ratio) / s.ratio;
    const w = x1 - x0;
    this.bucketOf(s, node, isMarked).push(x0, y, w > 3 ? w - GAP : Math.max(w, 1 / s.ratio));
    const shown = Math.min(x1, s.width) - Math.max(x0, 0);
    if (shown < SMALLEST_LABEL || fn === OTHERS) return;
    const label = this.text.fit(fn, shown - 2 * LABEL_PADDING);
    if (label !== "") {
      (isMarked ? this.markedLabels : this.labels).push(label, Math.max(x0, 0) + LABEL_PADDING, y);
    }
  }

  private bucketOf(s: Scene, node: number, isMarked: boolean): number[] {
    const fn = s.layout.fn[node];
    if (isMarked) return this.buckets[s.colors.frames.length];
    if (fn === OTHERS) return this.buckets[s.colors.frames.length + 1];
    return this.buckets[s.layout.shade ? s.layout.shade[node] : s.colorOf[fn]];
  }

  private fill(s: Scene): void {
    const c = this.context;
    const styles = [...s.colors.frames, s.colors.marked, s.colors.others];
    for (let b = 0; b < styles.length; b++) {
      const rects = this.buckets[b];
      if (rects.length === 0) continue;
      c.fillStyle = styles[b];
      c.globalAlpha = s.marked !== null && b < s.colors.frames.length ? 0.45 : 1;
      for (let i = 0; i < rects.length; i += 3) {
        c.fillRect(rects[i], rects[i + 1], rects[i + 2], ROW - GAP);
      }
    }
    c.globalAlpha = 1;
  }

  private write(labels: readonly (number | string)[], color: string): void {
    const c = this.context;
    c.font = FONT;
    c.textBaseline = "middle";
    c.fillStyle = color;
    for (let i = 0; i < labels.length; i += 3) {
      c.fillText(labels[i] as string, labels[i + 1] as number, (labels[i + 2] as number) + ROW / 2);
    }
  }

  private outline(s: Scene, node: number, thickness: number): void {
    if (node < 0) return;
    const { layout } = s;
    let level = 0;
    while (level < layout.levels && layout.first[level + 1] <= node) level++;
    const scale = s.width / (s.to - s.from);
    const left = Math.max(-2, (layout.start[node] - s.from) * scale);
    const right = Math.min(s.width + 2, (layout.start[node] + layout.width[node] - s.from) * scale);
    if (right < 0 || left > s.width) return;
    const c = this.context;
    c.strokeStyle = s.colors.outline;
    c.lineWidth = thickness;
    const inset = thickness / 2;
    c.strokeRect(
      left + inset,
      rowTop(s, level) + inset,
      Math.max(1, right - left - GAP - thickness),
      ROW - GAP - thickness,
    );
  }
}

function addStrip(bucket: number[], left: number, right: number, y: number): void {
  bucket.push(left, y, Math.max(0.5, right - left));
}

// endOfStrip is the first node behind i that ends to the right of a place. It looks
// further and further ahead and then back by halves: a few steps for hundreds of nodes.
export function endOfStrip(l: Layout, i: number, stop: number, right: number): number {
  const beyond = (k: number): boolean => l.start[k] + l.width[k] > right;
  let low = i;
  let high = i + 1;
  for (let step = 1; high < stop && !beyond(high); step *= 2) {
    low = high;
    high = Math.min(stop, high + step);
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (beyond(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function hasMark(s: Scene, from: number, to: number): boolean {
  const { marked, markedBefore, layout } = s;
  if (marked === null) return false;
  if (markedBefore) return markedBefore[to] > markedBefore[from];
  for (let k = from; k < to; k++) {
    const fn = layout.fn[k];
    if (fn >= 0 && marked[fn] === 1) return true;
  }
  return false;
}
