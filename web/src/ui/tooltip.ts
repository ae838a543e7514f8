// What is known of one frame, as the tooltip and the bar below the graph say it.

import { childSum, OTHERS } from "../data/layout";
import { basename, shareError, type FunctionTotals } from "../data/measure";
import { GROUP, type Profile } from "../data/profile";
import { originLabel } from "../draw/palette";
import { percent, percentError, quantity } from "../format/number";
import { element } from "../dom/dom";
import type { Place } from "../graph/flameview";

export interface FrameText {
  readonly name: string;
  readonly library: string;
  readonly source: string;
  readonly origin: string;
  readonly here: string;
  readonly own: string; // "" in views where a frame's own time means nothing
  readonly everywhere: string;
}

export class Describer {
  readonly total: number;

  constructor(
    private readonly profile: Profile,
    private readonly totals: FunctionTotals,
  ) {
    this.total = profile.tree.total[0] ?? 0;
  }

  share(value: number): string {
    const share = this.total > 0 ? value / this.total : 0;
    return `${percent(share)} ${percentError(shareError(share, this.profile.samples))}`;
  }

  amount(value: number): string {
    return quantity(value, this.profile.unit, this.profile.valueType);
  }

  source(fn: number, line: number): string {
    const f = this.profile.functions;
    const file = f.files[f.file[fn]];
    const at = line || f.line[fn];
    return file === "" ? "" : at > 0 ? `${file}:${at}` : file;
  }

  frame(place: Place, withOwn: boolean): FrameText {
    const { layout, node, level } = place;
    const fn = layout.fn[node];
    const width = layout.width[node];
    const here = `${this.share(width)} · ${this.amount(width)}`;
    if (fn === OTHERS) {
      return {
        name: "functions too small to tell apart at this zoom",
        library: "",
        source: "",
        origin: "",
        here,
        own: "",
        everywhere: "",
      };
    }
    const f = this.profile.functions;
    const isCode = f.origin[fn] !== GROUP;
    return {
      name: f.name[fn],
      library: f.libraries[f.library[fn]],
      source: this.source(fn, layout.line?.[node] ?? 0),
      origin: isCode ? originLabel(f.origin[fn]) : "",
      here,
      own: withOwn ? this.share(width - childSum(layout, level, node)) : "",
      everywhere: isCode
        ? `self ${percent(this.totals.self[fn] / this.total)}, total ${percent(this.totals.total[fn] / this.total)}`
        : "",
    };
  }
}

export class Tooltip {
  readonly root = element("div", { class: "tooltip", role: "tooltip", hidden: "" });

  show(t: FrameText, x: number, y: number): void {
    const rows = element("dl");
    const add = (name: string, value: string): void => {
      if (value) rows.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
    };
    add("here", t.here);
    add("of it, own", t.own);
    add("everywhere", t.everywhere);
    add(
      "binary",
      t.library && t.origin ? `${basename(t.library)} (${t.origin})` : basename(t.library),
    );
    add("source", t.source);
    this.root.replaceChildren(element("p", { class: "name" }, clip(t.name)), rows);
    this.root.hidden = false;
    const box = this.root.getBoundingClientRect();
    const left = Math.min(x + 14, window.innerWidth - box.width - 8);
    const below = y + 18 + box.height < window.innerHeight;
    this.root.style.left = `${Math.max(8, left)}px`;
    this.root.style.top = `${Math.max(8, below ? y + 18 : y - box.height - 10)}px`;
  }

  hide(): void {
    this.root.hidden = true;
  }
}

// A name of thousands of letters would fill the screen; the bar below the graph
// has all of it.
function clip(name: string): string {
  return name.length <= 600 ? name : `${name.slice(0, 400)} … ${name.slice(-180)}`;
}
