// One flame graph on a canvas: what is in view, how it moves, what is under the
// pointer. It tells others through its listener and knows no other view.

import { centre, levelOf, nodeAt, type Layout } from "../data/layout";
import { Painter, ROW, levelAtY, rowTop, type Colors, type Scene } from "../draw/painter";
import type { Labels } from "../draw/text";
import { element } from "../dom/dom";
import { Gestures } from "./gestures";
import { InView, type Range } from "./inview";
import type { LayoutSource } from "./source";

export interface Place {
  readonly layout: Layout;
  readonly node: number;
  readonly level: number;
}

export interface FlameListener {
  hover(place: Place | null, x: number, y: number): void;
  select(place: Place | null): void;
  open(fn: number): void; // ctrl-click: callers and callees
  moved(): void; // the range in view has changed for good
  activate?(place: Place): void; // double click
  menu?(place: Place, e: MouseEvent): void; // right click, or the key for menus
}

export interface Look {
  colors: Colors;
  colorOf: Uint8Array;
  marked: Uint8Array | null;
  markedBefore?: Int32Array | null; // as Scene has it; of one layout, so of one view
}

const ZOOM_STEP = 1.5;
const PAN_STEP = 0.15; // of the width in view

export class FlameView {
  readonly root: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  rootBelow = false;
  private readonly scroller: HTMLElement;
  private readonly spacer: HTMLElement;
  private readonly painter: Painter;
  private source: LayoutSource;
  private readonly inView = new InView(
    () => this.layout.total,
    () => {
      this.draw();
    },
    () => {
      this.listener.moved();
    },
  );
  private readonly resized = new ResizeObserver(() => {
    this.resize();
  });
  private hovered = -1;
  private selection: { level: number; x: number } | null = null;
  private frame = 0;

  constructor(
    label: string,
    source: LayoutSource,
    labels: (c: CanvasRenderingContext2D) => Labels,
    private readonly look: Look,
    private readonly listener: FlameListener,
  ) {
    this.canvas = element("canvas", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "flame graph",
      "aria-label": label,
      "aria-describedby": "keys-hint",
    });
    this.spacer = element("div", { class: "spacer" }, this.canvas);
    this.scroller = element("div", { class: "scroller", tabindex: "-1" }, this.spacer);
    this.root = element("div", { class: "flame" }, this.scroller);
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser gives no 2D canvas");
    this.painter = new Painter(context, labels(context));
    this.source = source;
    this.setSource(source);
    this.listen();
  }

  // home says that the next painting starts at the root.
  private height = 0; // when it was drawn last
  private atEnd = false;
  private home = true;

  setSource(source: LayoutSource): void {
    this.source.changed = () => undefined;
    this.source = source;
    source.changed = () => {
      this.hovered = -1;
      const { scrollTop, scrollHeight } = this.scroller;
      this.resize();
      // Levels grow away from the root: what is in view must stay there.
      if (this.rootBelow)
        this.scroller.scrollTop = scrollTop + this.scroller.scrollHeight - scrollHeight;
    };
    this.showAll();
  }

  // showAll begins anew: after the source has another layout.
  showAll(): void {
    this.inView.showAll();
    this.hovered = -1;
    this.selection = null;
    this.home = true;
    this.resize();
  }

  get layout(): Layout {
    return this.source.layout;
  }

  get range(): Range {
    return this.inView.range;
  }

  setRange(r: Range): void {
    this.inView.range = r;
    this.redraw();
  }

  get selected(): { level: number; at: number } | null {
    return (
      this.selection && {
        level: this.selection.level,
        at: this.selection.x / (this.layout.total || 1),
      }
    );
  }

  setSelected(s: { level: number; at: number } | null): void {
    this.selection = s && { level: s.level, x: s.at * this.layout.total };
    this.announce();
    this.redraw();
  }

  setRootBelow(below: boolean): void {
    if (this.rootBelow === below) return;
    this.rootBelow = below;
    this.home = true;
    this.resize();
  }

  reset(): void {
    this.selection = null;
    this.listener.select(null);
    this.home = true;
    this.inView.moveTo(0, this.layout.total);
  }

  zoomIn(): void {
    this.inView.moveTo(...this.inView.zoomed(ZOOM_STEP, this.pivot()));
  }

  zoomOut(): void {
    this.inView.moveTo(...this.inView.zoomed(1 / ZOOM_STEP, this.pivot()));
  }

  pan(columns: number, rows: number): void {
    if (columns !== 0) {
      const { from, to, span } = this.inView;
      const by = columns * PAN_STEP * span;
      this.inView.moveTo(from + by, to + by);
    }
    if (rows !== 0) this.scroller.scrollTop += rows * 3 * ROW;
  }

  // visit selects a node and zooms to it.
  visit(node: number): void {
    this.select(node);
    this.zoomToSelection();
  }

  // end lets go of what outlives the element.
  end(): void {
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    this.source.changed = () => undefined;
  }

  zoomToSelection(): void {
    const place = this.place(this.selectedNode());
    if (place) this.zoomTo(place);
  }

  // step moves the selection to a neighbour: away from the root, towards it, or
  // along its level.
  step(direction: "deeper" | "shallower" | "left" | "right"): void {
    const l = this.layout;
    const node = this.selectedNode();
    if (node < 0) {
      const middle = (this.inView.from + this.inView.to) / 2;
      this.select(nodeAt(l, 1, middle) >= 0 ? nodeAt(l, 1, middle) : nodeAt(l, 0, middle));
      return;
    }
    const level = levelOf(l, node);
    let next = -1;
    if (direction === "shallower") next = nodeAt(l, level - 1, centre(l, node));
    else if (direction === "deeper") next = this.firstChild(node, level);
    else next = node + (direction === "left" ? -1 : 1);
    if (next < 0 || next >= l.first[l.levels]) return;
    if (levelOf(l, next) !== level && (direction === "left" || direction === "right")) return;
    this.select(next);
    this.bringIntoView(next);
  }

  redraw(): void {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
    }
  }

  resize(): void {
    this.spacer.style.height = `${this.layout.levels * ROW}px`;
    this.redraw();
  }

  get selectedFunction(): number {
    const node = this.selectedNode();
    return node < 0 ? -1 : this.layout.fn[node];
  }

  private draw(): void {
    const width = this.scroller.clientWidth;
    const height = this.scroller.clientHeight;
    if (width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const w = Math.round(width * ratio);
    const h = Math.round(height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    // With the root below the end is what is looked at, also where the room becomes less.
    const shrunk = this.atEnd && this.rootBelow && height !== this.height;
    this.height = height;
    if (this.home || shrunk) {
      this.home = false;
      this.scroller.scrollTop = this.rootBelow ? this.scroller.scrollHeight : 0;
    }
    const { scrollTop, scrollHeight } = this.scroller;
    this.atEnd = scrollTop + height >= scrollHeight - 1;
    this.source.show(this.inView.from, this.inView.to, width);
    this.painter.paint(this.scene());
  }

  // scene is what is painted; for exports, too.
  scene(): Scene {
    return {
      layout: this.layout,
      from: this.inView.from,
      to: this.inView.to,
      scroll: this.scroller.scrollTop,
      width: this.scroller.clientWidth,
      height: this.scroller.clientHeight,
      ratio: window.devicePixelRatio || 1,
      rootBelow: this.rootBelow,
      colorOf: this.look.colorOf,
      colors: this.look.colors,
      marked: this.look.marked,
      markedBefore: this.look.markedBefore ?? null,
      hovered: this.hovered,
      selected: this.selectedNode(),
    };
  }

  private selectedNode(): number {
    return this.selection ? nodeAt(this.layout, this.selection.level, this.selection.x) : -1;
  }

  private place(node: number): Place | null {
    return node < 0 ? null : { layout: this.layout, node, level: levelOf(this.layout, node) };
  }

  private select(node: number): void {
    const place = this.place(node);
    this.selection = place && { level: place.level, x: centre(this.layout, node) };
    this.listener.select(place);
    this.listener.moved();
    this.redraw();
  }

  private announce(): void {
    this.listener.select(this.place(this.selectedNode()));
  }

  private firstChild(node: number, level: number): number {
    const l = this.layout;
    if (level + 1 >= l.levels) return -1;
    const left = l.start[node];
    const next = nodeAt(l, level + 1, left);
    return next >= 0 && l.start[next] >= left ? next : -1;
  }

  private pivot(): number {
    const node = this.selectedNode();
    if (node < 0) return 0.5;
    const at = (centre(this.layout, node) - this.inView.from) / this.inView.span;
    return at >= 0 && at <= 1 ? at : 0.5;
  }

  private zoomTo(place: Place): void {
    const { layout, node } = place;
    this.inView.moveTo(layout.start[node], layout.start[node] + layout.width[node]);
    this.bringIntoView(node);
  }

  private bringIntoView(node: number): void {
    const l = this.layout;
    const top = rowTop(this.scene(), levelOf(l, node));
    const height = this.scroller.clientHeight;
    if (top < ROW || top > height - 2 * ROW) this.scroller.scrollTop += top - height / 3;
    const left = l.start[node];
    const right = left + l.width[node];
    const { from, to, span } = this.inView;
    if (right <= from || left >= to)
      this.inView.moveTo(centre(l, node) - span / 2, centre(l, node) + span / 2);
  }

  private at(e: MouseEvent): Place | null {
    const box = this.canvas.getBoundingClientRect();
    const level = levelAtY(this.scene(), e.clientY - box.top);
    const x = this.inView.from + ((e.clientX - box.left) / box.width) * this.inView.span;
    return this.place(nodeAt(this.layout, level, x));
  }

  private listen(): void {
    this.scroller.addEventListener("scroll", () => {
      this.redraw();
    });
    this.resized.observe(this.scroller);
    this.canvas.addEventListener("dblclick", (e) => {
      const place = this.at(e);
      if (place) this.listener.activate?.(place);
    });
    this.canvas.addEventListener("contextmenu", (e) => {
      const byKey = e.button !== 2; // which has no place of its own
      const place = byKey ? this.place(this.selectedNode()) : this.at(e);
      if (place && !e.ctrlKey) this.listener.menu?.(place, e);
    });
    new Gestures(this.canvas, {
      zoomAt: (factor, at) => {
        this.inView.jump(...this.inView.zoomed(factor, at));
        this.redraw();
      },
      panBy: (columns) => {
        const { from, to, span } = this.inView;
        this.inView.jump(from + columns * span, to + columns * span);
        this.redraw();
      },
      scrollBy: (pixels) => {
        this.scroller.scrollTop += pixels;
      },
      settled: () => {
        this.listener.moved();
      },
      click: (e) => {
        this.click(e);
      },
      point: (e) => {
        this.hover(e && this.at(e), e?.clientX ?? 0, e?.clientY ?? 0);
      },
    });
  }

  private click(e: MouseEvent): void {
    const place = this.at(e);
    const fn = place ? place.layout.fn[place.node] : -1;
    if ((e.ctrlKey || e.metaKey) && fn >= 0) {
      this.listener.open(fn);
      return;
    }
    this.select(place?.node ?? -1);
    if (place) this.zoomTo(place);
  }

  private hover(place: Place | null, x: number, y: number): void {
    const node = place?.node ?? -1;
    this.listener.hover(place, x, y);
    this.canvas.classList.toggle("over", node >= 0);
    if (node === this.hovered) return;
    this.hovered = node;
    this.redraw();
  }
}
