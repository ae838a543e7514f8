// The views of a profile, one of which is on the stage. Those that need a merged
// tree are made when they are first asked for.

import { layoutOf } from "../data/layout";
import { leafSeeds } from "../data/merge";
import type { FunctionTotals } from "../data/measure";
import { GROUP, type Profile } from "../data/profile";
import { Labels } from "../draw/text";
import { element } from "../dom/dom";
import { FlameView, type FlameListener, type Look } from "../graph/flameview";
import type { ViewName } from "./hash";
import { Sandwich } from "./sandwich";
import { fixedSource } from "../graph/source";
import { MergedSource } from "./source";
import type { Describer } from "./describe";
import { TopView } from "./topview";

export interface ViewsListener {
  // withOwn says that a place has samples of its own, as in the tree that was shipped.
  flame(withOwn: boolean): FlameListener;
  open(fn: number): void;
}

export class Views {
  readonly stage = element("div", { class: "stage", id: "view", role: "tabpanel" });
  readonly top: TopView;
  private readonly flame: FlameView;
  private reverse: FlameView | null = null;
  private sandwich: Sandwich | null = null;
  private shown: ViewName = "flame";

  constructor(
    private readonly profile: Profile,
    private readonly totals: FunctionTotals,
    private readonly describe: Describer,
    private readonly look: Look,
    private readonly listener: ViewsListener,
  ) {
    this.top = new TopView(profile, totals, {
      open: (fn) => {
        listener.open(fn);
      },
    });
    this.flame = new FlameView(
      "Flame graph, from callers to callees",
      fixedSource(layoutOf(profile.tree)),
      this.labels,
      look,
      listener.flame(true),
    );
  }

  // levels is how deep the flame graph is.
  get levels(): number {
    return this.flame.layout.levels;
  }

  // current is the flame view that keys act on.
  get current(): FlameView | null {
    switch (this.shown) {
      case "flame":
        return this.flame;
      case "reverse":
        return this.reverse;
      case "sandwich":
        return this.sandwich?.callers.canvas === document.activeElement
          ? this.sandwich.callers
          : (this.sandwich?.callees ?? null);
      case "top":
        return null;
    }
  }

  // show puts a view on the stage.
  show(view: ViewName): void {
    this.shown = view;
    this.stage.setAttribute("aria-labelledby", `tab-${view}`);
    const root = this.rootOf(view);
    if (this.stage.firstChild !== root) this.stage.replaceChildren(root);
  }

  // showFunction has the callers and callees of a function in the sandwich, those
  // of the hottest for -1.
  showFunction(fn: number): void {
    const wanted = fn >= 0 ? fn : this.hottest();
    if (!this.sandwich || wanted < 0 || this.sandwich.fn === wanted) return;
    this.sandwich.show(wanted, this.totals.self[wanted], this.totals.total[wanted]);
  }

  focus(): void {
    this.current?.canvas.focus({ preventScroll: true });
    if (this.shown === "top") this.top.focus();
  }

  focusCallees(): void {
    this.sandwich?.callees.canvas.focus({ preventScroll: true });
  }

  setRootBelow(below: boolean): void {
    this.flame.setRootBelow(below);
    this.reverse?.setRootBelow(below);
  }

  redraw(): void {
    for (const v of [this.flame, this.reverse, this.sandwich?.callers, this.sandwich?.callees])
      v?.redraw();
  }

  private readonly labels = (c: CanvasRenderingContext2D): Labels =>
    new Labels(this.profile.functions.name, c);

  private rootOf(view: ViewName): HTMLElement {
    switch (view) {
      case "flame":
        return this.flame.root;
      case "reverse":
        this.reverse ??= new FlameView(
          "Reverse: from the code that ran to its callers",
          new MergedSource(this.profile, leafSeeds(this.profile.tree), "callers", -1),
          this.labels,
          this.look,
          this.listener.flame(false),
        );
        return this.reverse.root;
      case "sandwich":
        this.sandwich ??= new Sandwich(
          this.profile,
          this.describe,
          this.labels,
          this.look,
          this.listener.flame(false),
        );
        return this.sandwich.root;
      case "top":
        return this.top.root;
    }
  }

  private hottest(): number {
    const { origin, count } = this.profile.functions;
    let best = -1;
    for (let f = 0; f < count; f++) {
      if (origin[f] !== GROUP && (best < 0 || this.totals.self[f] > this.totals.self[best]))
        best = f;
    }
    return best;
  }
}
