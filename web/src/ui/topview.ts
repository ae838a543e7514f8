// The table of functions. Only the rows in view are in the document, so that a
// hundred thousand functions scroll as easily as ten.

import { basename, shareError, type FunctionTotals } from "../data/measure";
import { GROUP, type Profile } from "../data/profile";
import { percent, percentError } from "../format/number";
import { shortName } from "../format/name";
import { element } from "../dom/dom";

const ROW_HEIGHT = 28;

type Column = "self" | "total" | "name" | "library";

interface TopListener {
  open(fn: number): void;
}

export class TopView {
  readonly root: HTMLElement;
  private readonly head: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly body: HTMLElement;
  private rows: number[] = [];
  private sort: Column = "self";
  private falling = true;
  private current = 0;
  private marked: Uint8Array | null = null;

  constructor(
    private readonly profile: Profile,
    private readonly totals: FunctionTotals,
    private readonly listener: TopListener,
  ) {
    this.head = element("div", { class: "row head", role: "row" });
    this.body = element("div", { class: "rows", role: "rowgroup" });
    this.scroller = element(
      "div",
      { class: "scroller", tabindex: "0", "aria-label": "Rows" },
      this.body,
    );
    this.root = element(
      "div",
      { class: "top", role: "table", "aria-label": "Functions by CPU" },
      element("div", { role: "rowgroup" }, this.head),
      this.scroller,
    );
    this.scroller.addEventListener("scroll", () => {
      this.draw();
    });
    this.scroller.addEventListener("keydown", (e) => {
      this.key(e);
    });
    new ResizeObserver(() => {
      this.draw();
    }).observe(this.scroller);
    this.update();
  }

  setMarked(marked: Uint8Array | null): void {
    this.marked = marked;
    this.current = 0;
    this.update();
    this.scroller.scrollTop = 0;
  }

  focus(): void {
    this.scroller.focus({ preventScroll: true });
  }

  get selectedFunction(): number {
    return this.rows[this.current] ?? -1;
  }

  move(by: number): void {
    this.current = Math.max(0, Math.min(this.rows.length - 1, this.current + by));
    const top = this.current * ROW_HEIGHT;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    const bottom = top + ROW_HEIGHT - this.scroller.clientHeight;
    if (bottom > this.scroller.scrollTop) this.scroller.scrollTop = bottom;
    this.draw();
  }

  private key(e: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 1);
    const by: Record<string, number> = {
      PageDown: page,
      PageUp: -page,
      Home: -this.rows.length,
      End: this.rows.length,
    };
    const step = by[e.key];
    if (step !== undefined) {
      e.preventDefault();
      this.move(step);
    }
  }

  private update(): void {
    const { functions } = this.profile;
    this.rows = [];
    for (let f = 0; f < functions.count; f++) {
      const isCode = functions.origin[f] !== GROUP;
      const seen = this.totals.total[f] !== 0 || this.totals.self[f] !== 0;
      if (isCode && seen && (this.marked === null || this.marked[f])) this.rows.push(f);
    }
    this.rows.sort(this.order());
    this.root.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.drawHead();
    this.draw();
  }

  private order(): (a: number, b: number) => number {
    const { functions } = this.profile;
    const { self, total } = this.totals;
    const sign = this.falling ? -1 : 1;
    const text = (f: number): string =>
      this.sort === "name"
        ? functions.name[f]
        : basename(functions.libraries[functions.library[f]]);
    if (this.sort === "name" || this.sort === "library") {
      return (a, b) => sign * text(a).localeCompare(text(b)) || self[b] - self[a];
    }
    const [first, second] = this.sort === "self" ? [self, total] : [total, self];
    return (a, b) => sign * (first[a] - first[b]) || second[b] - second[a] || a - b;
  }

  private drawHead(): void {
    const column = (name: Column, label: string): HTMLElement => {
      const sorted = this.sort === name;
      const arrow = sorted ? (this.falling ? " ▾" : " ▴") : "";
      const b = element("button", { type: "button" }, label + arrow);
      b.addEventListener("click", () => {
        this.falling = sorted ? !this.falling : name === "self" || name === "total";
        this.sort = name;
        this.update();
      });
      const direction = sorted ? (this.falling ? "descending" : "ascending") : "none";
      return element("div", { role: "columnheader", class: name, "aria-sort": direction }, b);
    };
    this.head.replaceChildren(
      column("self", "Self"),
      column("total", "Total"),
      column("name", "Function"),
      column("library", "Binary"),
    );
  }

  private draw(): void {
    this.body.style.height = `${this.rows.length * ROW_HEIGHT}px`;
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - 4);
    const count = Math.ceil(this.scroller.clientHeight / ROW_HEIGHT) + 8;
    const shown: HTMLElement[] = [];
    for (let i = first; i < Math.min(this.rows.length, first + count); i++) shown.push(this.row(i));
    if (this.rows.length === 0) {
      shown.push(element("p", { class: "nothing" }, "No function matches."));
    }
    this.body.replaceChildren(...shown);
  }

  private row(i: number): HTMLElement {
    const { functions } = this.profile;
    const fn = this.rows[i];
    const library = functions.libraries[functions.library[fn]];
    const name = functions.name[fn];
    const r = element(
      "div",
      {
        role: "row",
        class: i === this.current ? "row current" : "row",
        "aria-rowindex": String(i + 2),
      },
      this.number("self", this.totals.self[fn]),
      this.number("total", this.totals.total[fn]),
      element(
        "div",
        { role: "cell", class: "name", title: name },
        element("i", { class: `swatch origin-${functions.origin[fn]}`, "aria-hidden": "true" }),
        element("span", {}, shortName(name)),
      ),
      element("div", { role: "cell", class: "library", title: library }, basename(library)),
    );
    r.style.top = `${i * ROW_HEIGHT}px`;
    r.addEventListener("click", () => {
      this.current = i;
      this.listener.open(fn);
    });
    return r;
  }

  private number(kind: string, value: number): HTMLElement {
    const all = this.profile.tree.total[0] ?? 0;
    const share = all > 0 ? value / all : 0;
    const bar = element("i", { class: "bar", "aria-hidden": "true" });
    bar.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
    return element(
      "div",
      { role: "cell", class: `number ${kind}` },
      bar,
      element("span", {}, percent(share)),
      element("small", {}, percentError(shareError(share, this.profile.samples))),
    );
  }
}
