// The row above the views: which view, what to search, how it looks.

import { button, element } from "../dom/dom";
import type { ViewName } from "./hash";
import type { Commands } from "./keys";

const TABS: readonly (readonly [ViewName, string, string])[] = [
  ["top", "Table", "1"],
  ["flame", "Flame graph", "2"],
  ["reverse", "Reverse", "3"],
  ["sandwich", "Callers & callees", "4"],
];

const SEARCH_DELAY_MS = 120;

export class Toolbar {
  readonly root: HTMLElement;
  readonly input: HTMLInputElement;
  private readonly tabs = new Map<ViewName, HTMLButtonElement>();
  private readonly result: HTMLElement;
  private readonly flip: HTMLButtonElement;
  private timer = 0;

  constructor(commands: Commands, onSearch: (query: string, final: boolean) => void) {
    const list = element("div", { class: "tabs", role: "tablist", "aria-label": "Views" });
    for (const [name, label, key] of TABS) {
      const tab = button("", `${label} (${key})`, () => {
        commands.view(name);
      });
      tab.append(element("span", {}, label), element("kbd", { "aria-hidden": "true" }, key));
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", "view");
      tab.id = `tab-${name}`;
      this.tabs.set(name, tab);
      list.append(tab);
    }
    this.input = element("input", {
      type: "search",
      placeholder: "Search: function, binary, file",
      "aria-label": "Search functions, binaries and files by regular expression",
      spellcheck: "false",
      autocomplete: "off",
    });
    this.result = element("output", { class: "result", "aria-live": "polite" });
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => {
        onSearch(this.input.value, false);
      }, SEARCH_DELAY_MS);
    });
    this.input.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" && e.key !== "Escape") return;
      e.preventDefault();
      clearTimeout(this.timer);
      if (e.key === "Escape") this.input.value = "";
      onSearch(this.input.value, true);
    });
    this.flip = button("", "Root on top or at the bottom (f)", () => {
      commands.flip();
    });
    const box = element(
      "label",
      { class: "search" },
      element("kbd", { "aria-hidden": "true" }, "/"),
      this.input,
    );
    this.root = element(
      "div",
      { class: "toolbar" },
      list,
      element("div", { class: "searching" }, box, this.result),
      element(
        "div",
        { class: "tools", role: "group", "aria-label": "Look" },
        this.flip,
        button("Reset", "Back to the whole (0)", () => {
          commands.reset();
        }),
        button("◐", "Dark or light (t)", () => {
          commands.theme();
        }),
        button("?", "Keys (?)", () => {
          commands.help();
        }),
      ),
    );
  }

  setView(view: ViewName): void {
    for (const [name, tab] of this.tabs) {
      tab.setAttribute("aria-selected", String(name === view));
      tab.tabIndex = name === view ? 0 : -1;
    }
    this.flip.hidden = view !== "flame" && view !== "reverse";
  }

  setRootBelow(below: boolean): void {
    this.flip.textContent = below ? "▲ Root below" : "▼ Root on top";
  }

  setResult(text: string, failed: boolean): void {
    this.result.textContent = text;
    this.result.classList.toggle("failed", failed);
    this.input.setAttribute("aria-invalid", String(failed));
  }
}
