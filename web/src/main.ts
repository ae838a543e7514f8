// Start of the page: takes the profile out of it and puts the views in.

import { decode, inflate } from "./data/payload";
import { App } from "./ui/app";
import { element } from "./dom/dom";
import { wireReport } from "./ui/report";

async function start(): Promise<void> {
  const host = document.getElementById("app");
  const block = document.getElementById("profile");
  if (!host || !block) return;
  try {
    if (!("DecompressionStream" in window)) {
      throw new Error("this browser is too old for the flame graph (it lacks DecompressionStream)");
    }
    const profile = decode(await inflate(block.textContent ?? ""));
    block.remove();
    wireReport(new App(profile, host, document.body.classList.contains("page-flame")));
    host.dataset.ready = "true";
  } catch (e) {
    const why = e instanceof Error ? e.message : String(e);
    host.replaceChildren(
      element("p", { class: "failure", role: "alert" }, `The profile cannot be shown: ${why}.`),
    );
  }
}

void start();
