// What the script adds to the findings, which are in the page without it.

import type { App } from "./app";
import { copyText } from "./dom";

export function wireReport(app: App): void {
  for (const b of document.querySelectorAll<HTMLButtonElement>("button.copy")) {
    b.hidden = false;
    b.addEventListener("click", () => {
      void copyText(b.dataset.copy ?? "").then((done) => {
        b.textContent = done ? "Copied" : "Copying is blocked";
        setTimeout(() => {
          b.textContent = "Copy";
        }, 1500);
      });
    });
  }
  for (const b of document.querySelectorAll<HTMLButtonElement>("button.show")) {
    const { id = "", function: name = "", binary = "" } = b.dataset;
    b.hidden = !app.has(name, binary);
    b.addEventListener("click", () => {
      app.showFinding(id, name, binary);
    });
  }
}
