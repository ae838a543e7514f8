// The bar below the views: what is selected, in words that can be copied, and
// what the colours mean.

import type { Functions } from "../data/profile";
import { ORIGINS, originLabel } from "../draw/palette";
import { shortName } from "../format/name";
import { button, copyText, element } from "../dom/dom";
import type { FrameText } from "../graph/tooltip";

export class Details {
  readonly root: HTMLElement;
  private readonly text = element("div", { class: "text", role: "status" });
  private readonly actions = element("div", { class: "actions" });
  private readonly copyButton: HTMLButtonElement;
  private name = "";

  constructor(functions: Functions, onSandwich: () => void) {
    this.copyButton = button("Copy name", "Copy the whole name (c)", () => {
      this.copy();
    });
    this.actions.append(
      this.copyButton,
      button("Callers & callees", "Callers and callees of this function (x)", onSandwich),
    );
    this.root = element("div", { class: "details" }, this.text, this.actions, legend(functions));
    this.clear();
  }

  clear(): void {
    this.name = "";
    this.actions.hidden = true;
    this.text.replaceChildren(
      element(
        "span",
        { class: "hint", id: "keys-hint" },
        "Click zooms, ctrl-click shows callers and callees, / searches, ? lists all keys.",
      ),
    );
  }

  show(t: FrameText): void {
    this.name = t.name;
    this.actions.hidden = false;
    const facts = [
      t.here,
      t.own && `own ${t.own}`,
      t.everywhere && `everywhere: ${t.everywhere}`,
      t.library,
      t.source,
    ].filter((s) => s !== "");
    // The numbers stand before the whole name, which may be very long.
    const short = shortName(t.name);
    this.text.replaceChildren(
      element("b", { class: "name" }, short),
      element("span", { class: "fact" }, facts.join("  ·  ")),
      element("span", { class: "whole" }, short === t.name ? "" : t.name),
    );
  }

  copy(): void {
    if (this.name === "") return;
    void copyText(this.name).then((done) => {
      this.copyButton.textContent = done ? "Copied" : "Copying is blocked";
      setTimeout(() => {
        this.copyButton.textContent = "Copy name";
      }, 1500);
    });
  }
}

// legend lists only the origins that this profile has.
function legend(functions: Functions): HTMLElement {
  const seen = new Set(functions.origin);
  const list = element("ul", { class: "legend", "aria-label": "Colours" });
  for (let o = 0; o < ORIGINS; o++) {
    if (!seen.has(o) || o === ORIGINS - 1) continue;
    list.append(
      element(
        "li",
        {},
        element("i", { class: `swatch origin-${o}`, "aria-hidden": "true" }),
        originLabel(o),
      ),
    );
  }
  return list;
}
