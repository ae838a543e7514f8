// How long a view takes from the end of the answer to the frame that shows it, in every
// view: node --import tsx test/bench/first-paint.ts URL [ROUNDS] [FUNCTION-ID]
// The page says when it waits (aria-busy). The first frame in which it does not is painted
// when the next one begins; the answer is the last one that came before it.

import { cpus, loadavg } from "node:os";
import type { Page } from "playwright-core";
import { withBrowser } from "../e2e/browser";

const [at = "http://127.0.0.1:7878/", rounds = "10", fn = "1"] = process.argv.slice(2);

const VIEWS: readonly (readonly [name: string, query: Readonly<Record<string, string>>])[] = [
  ["overview", {}],
  ["top", {}],
  ["flame", {}],
  ["reverse", {}],
  ["sandwich", { fn }],
  ["callgraph", { fn }],
  ["lines", { fn }],
  ["compare", {}],
  ["compare", { "compare.show": "flame" }],
  ["findings", {}],
  ["settings", {}],
];

// watch notes, from the first frame on, when the page stopped waiting.
function watch(): void {
  const w = window as unknown as { painted: Promise<number> };
  w.painted = new Promise((done) => {
    const look = (): void => {
      const view = document.querySelector("#view");
      const waits =
        !view || view.matches('[aria-busy="true"]') || view.querySelector('[aria-busy="true"]');
      const shown = view && !waits && (view.textContent ?? "") !== "";
      if (!shown) requestAnimationFrame(look);
      else
        requestAnimationFrame(() => {
          done(performance.now());
        });
    };
    requestAnimationFrame(look);
  });
}

async function opened(page: Page, view: string, query: Readonly<Record<string, string>>) {
  const url = new URL(at);
  url.pathname = view === "overview" ? "/" : `/${view}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  await page.goto(url.href, { waitUntil: "commit" });
  return page.evaluate(async () => {
    const { painted } = window as unknown as { painted: Promise<number> };
    const end = await painted;
    const answers = performance
      .getEntriesByType("resource")
      .filter((r) => r.name.includes("/api/v1/"))
      .map((r) => (r as PerformanceResourceTiming).responseEnd)
      .filter((t) => t > 0 && t <= end);
    return { ms: end - Math.max(0, ...answers), answers: answers.length };
  });
}

console.log(`load ${loadavg()[0].toFixed(1)} on ${cpus().length} CPUs`);
console.log("| view | n | median, ms | worst |\n|---|---|---|---|");
await withBrowser({ width: 1280, height: 900 }, async (context) => {
  await context.addInitScript({ content: "globalThis.__name = (f) => f" });
  await context.addInitScript(watch);
  const page = await context.newPage();
  for (const [view, query] of VIEWS) {
    const list: number[] = [];
    for (let i = 0; i < Number(rounds); i++) {
      const { ms, answers } = await opened(page, view, query);
      if (answers > 0) list.push(ms);
    }
    list.sort((a, b) => a - b);
    const name = query["compare.show"] === undefined ? view : `${view}, ${query["compare.show"]}`;
    const median = list[Math.floor(list.length / 2)] ?? NaN;
    console.log(
      `| ${name} | ${list.length} | ${median.toFixed(0)} | ${(list.at(-1) ?? NaN).toFixed(0)} |`,
    );
  }
});
console.log(`load ${loadavg()[0].toFixed(1)}`);
