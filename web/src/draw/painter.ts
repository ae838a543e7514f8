// Paints the visible part of a layout. It knows pixels and nothing of events.

import { firstVisible, OTHERS, type Layout } from "../data/layout";
import { Lines, pack, type Color } from "./lines";
import { FONT, type Labels } from "./text";

export const ROW = 20;
const GAP = 1;
const SMALLEST_LABEL = 30;
const LABEL_PADDING = 5;
const SIGN = 14; // pixels that a sign before a name takes

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

// How much of the background is in what a search does not mark.
const DIMMED = 0.55;

// Inks are the colours of a scene as pixels, by the number of the colour; behind those of
// frames come that of marked ones and that of others.
interface Inks {
  readonly of: Colors;
  readonly plain: readonly Color[];
  readonly dimmed: readonly Color[];
  readonly background: Color;
}

// Frames are filled as lines of pixels; labels are collected by ink first, as a canvas
// changes its state slowly.
export class Painter {
  private readonly lines = new Lines();
  private readonly labels: (number | string)[] = [];
  private readonly markedLabels: (number | string)[] = [];
  private inks: Inks | null = null;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly text: Labels,
  ) {}

  paint(s: Scene): void {
    const c = this.context;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = s.colors.background;
    c.fillRect(0, 0, s.width * s.ratio, s.height * s.ratio);
    this.labels.length = 0;
    this.markedLabels.length = 0;
    this.fill(s);
    c.setTransform(s.ratio, 0, 0, s.ratio, 0, 0);
    this.write(this.labels, s.colors.text);
    this.write(this.markedLabels, s.colors.markedText);
    this.outline(s, s.hovered, 1);
    this.outline(s, s.selected, 2);
  }

  private fill(s: Scene): void {
    const visible: { level: number; y: number }[] = [];
    for (let level = 0; level < s.layout.levels; level++) {
      const y = rowTop(s, level);
      if (y + ROW > 0 && y < s.height) visible.push({ level, y });
    }
    if (visible.length === 0) return;
    const inks = this.inksOf(s.colors);
    const width = Math.round(s.width * s.ratio);
    this.lines.begin(width, visible.length, inks.background);
    visible.forEach(({ level, y }, line) => {
      this.collect(s, inks, width, level, line, y);
    });
    this.lines.end();
    const c = this.context;
    c.imageSmoothingEnabled = false;
    visible.forEach(({ y }, line) => {
      const top = Math.round(y * s.ratio);
      const bottom = Math.round((y + ROW - GAP) * s.ratio);
      this.lines.draw(c, line, top, bottom - top);
    });
  }

  // collect walks one level from the left edge to the right one. What is thinner than a
  // pixel shares it with its neighbours, in the colour of the first of them or, so that no
  // match goes unseen, of a marked one. The others are skipped rather than looked at, so
  // that the work is that of the pixels and not of the frames.
  private collect(
    s: Scene,
    inks: Inks,
    pixels: number,
    level: number,
    line: number,
    y: number,
  ): void {
    const { layout, from, to } = s;
    const scale = pixels / (to - from);
    const stop = layout.first[level + 1];
    for (let i = firstVisible(layout, level, from); i < stop;) {
      const start = layout.start[i];
      if (start >= to) break;
      const left = (start - from) * scale;
      const width = layout.width[i] * scale;
      if (width >= 1) {
        this.frame(s, inks, pixels, i, left, left + width, line, y);
        i++;
        continue;
      }
      const pixel = Math.max(0, Math.floor(left));
      const next = endOfStrip(layout, i, stop, from + (pixel + 1) / scale);
      if (pixel < pixels) {
        this.lines.fill(line, pixel, pixel + 1, inkOf(s, inks, i, hasMark(s, i, next)));
      }
      i = next;
    }
  }

  private frame(
    s: Scene,
    inks: Inks,
    pixels: number,
    node: number,
    left: number,
    right: number,
    line: number,
    y: number,
  ): void {
    const isMarked = hasMark(s, node, node + 1);
    const x0 = Math.max(0, Math.round(left));
    const x1 = Math.min(pixels, Math.round(right));
    if (x1 <= x0) return;
    const gap = x1 - x0 > 3 * s.ratio && x1 < pixels ? Math.max(1, Math.round(GAP * s.ratio)) : 0;
    this.lines.fill(line, x0, x1 - gap, inkOf(s, inks, node, isMarked));
    const shown = (x1 - x0) / s.ratio;
    const fn = s.layout.fn[node];
    if (shown < SMALLEST_LABEL || fn === OTHERS) return;
    const { shade, signs } = s.layout;
    const sign = (shade && signs?.[shade[node]]) ?? "";
    const room = shown - 2 * LABEL_PADDING - (sign === "" ? 0 : SIGN);
    const label = sign + this.text.fit(fn, room);
    if (label !== "") {
      (isMarked ? this.markedLabels : this.labels).push(label, x0 / s.ratio + LABEL_PADDING, y);
    }
  }

  private inksOf(colors: Colors): Inks {
    if (this.inks?.of === colors) return this.inks;
    const c = this.context;
    const plain = (color: string): string => {
      c.fillStyle = color; // any notation of CSS goes in, #rrggbb comes out
      return c.fillStyle;
    };
    const background = plain(colors.background);
    const marks = [pack(plain(colors.marked)), pack(plain(colors.others))];
    const frames = colors.frames.map(plain);
    this.inks = {
      of: colors,
      plain: [...frames.map((f) => pack(f)), ...marks],
      dimmed: [...frames.map((f) => pack(f, background, DIMMED)), ...marks],
      background: pack(background),
    };
    return this.inks;
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

function inkOf(s: Scene, inks: Inks, node: number, isMarked: boolean): Color {
  const frames = s.colors.frames.length;
  if (isMarked) return inks.plain[frames];
  const fn = s.layout.fn[node];
  if (fn === OTHERS) return inks.plain[frames + 1];
  const color = s.layout.shade ? s.layout.shade[node] : s.colorOf[fn];
  return s.marked === null ? inks.plain[color] : inks.dimmed[color];
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
