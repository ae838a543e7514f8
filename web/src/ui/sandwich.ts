// Callers and callees of one function: above, its callers (each caller on top
// of what it calls); below, what it calls.

import { frameSeeds } from "../data/merge";
import { basename } from "../data/measure";
import type { Profile } from "../data/profile";
import type { Labels } from "../draw/text";
import { element } from "../dom/dom";
import { FlameView, type FlameListener, type Look } from "../graph/flameview";
import { fixedSource, nothing } from "../graph/source";
import { MergedSource } from "./source";
import type { Describer } from "./describe";

export class Sandwich {
  readonly root: HTMLElement;
  readonly callers: FlameView;
  readonly callees: FlameView;
  fn = -1;
  private readonly title = element("div", { class: "function" });

  constructor(
    private readonly profile: Profile,
    private readonly describe: Describer,
    labels: (c: CanvasRenderingContext2D) => Labels,
    look: Look,
    listener: FlameListener,
  ) {
    const empty = fixedSource(nothing());
    this.callers = new FlameView("Callers", empty, labels, look, listener);
    this.callees = new FlameView("Callees", fixedSource(nothing()), labels, look, listener);
    this.callers.setRootBelow(true);
    this.root = element(
      "div",
      { class: "sandwich" },
      element("p", { class: "caption" }, "Callers"),
      this.callers.root,
      this.title,
      this.callees.root,
      element("p", { class: "caption" }, "Callees"),
    );
  }

  show(fn: number, self: number, total: number): void {
    this.fn = fn;
    const f = this.profile.functions;
    const seeds = frameSeeds(this.profile.tree, fn);
    this.callers.setSource(new MergedSource(this.profile, seeds, "callers", fn));
    this.callees.setSource(new MergedSource(this.profile, seeds, "callees", fn));
    const library = basename(f.libraries[f.library[fn]]);
    this.title.replaceChildren(
      element("b", { title: f.name[fn] }, f.name[fn]),
      element(
        "span",
        {},
        [
          library,
          this.describe.source(fn, 0),
          `total ${this.describe.share(total)}`,
          `self ${this.describe.share(self)}`,
        ]
          .filter((s) => s !== "")
          .join("  ·  "),
      ),
    );
  }
}
