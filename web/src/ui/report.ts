// What the script adds to the findings, which are in the page without it.

import type { App } from "./app";
import { copyText } from "../dom/dom";
import { placeOf } from "./finding";

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
    const place = placeOf(b);
    b.hidden = !app.has(place);
    b.addEventListener("click", () => {
      app.showFinding(b.dataset.id ?? "", place);
    });
  }
}
