// The list of keys, as a dialog.

import { button, element } from "../dom/dom";
import { KEY_HELP } from "./keys";

export class Help {
  readonly root: HTMLDialogElement;

  constructor() {
    const list = element("dl");
    for (const { keys, what } of KEY_HELP) {
      const dt = element("dt");
      keys.split(" ").forEach((k) => {
        dt.append(element("kbd", {}, k.replace(",", "")), " ");
      });
      list.append(element("div", {}, dt, element("dd", {}, what)));
    }
    this.root = element("dialog", { class: "help", "aria-labelledby": "help-title" });
    this.root.append(
      element("h2", { id: "help-title" }, "Keys"),
      list,
      button("Close", "Close", () => {
        this.root.close();
      }),
    );
    this.root.addEventListener("click", (e) => {
      if (e.target === this.root) this.root.close();
    });
  }

  toggle(): void {
    if (this.root.open) this.root.close();
    else this.root.showModal();
  }
}
