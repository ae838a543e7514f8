// What is under the pointer, in words, beside it.

import { basename } from "../data/measure";
import { element } from "../dom/dom";

export interface FrameText {
  readonly name: string;
  readonly library: string;
  readonly source: string;
  readonly origin: string;
  readonly here: string;
  readonly own: string; // "" in views where a frame's own time means nothing
  readonly everywhere: string;
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
