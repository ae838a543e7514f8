// How smoothly the server's flame graphs move, how soon they are there, and what memory
// their tab takes: node --import tsx test/bench/fleet-frames.ts URL [FUNCTION-ID [VIEWS]]
// [VIEWS] names some of flame, reverse, sandwich, compare.
// URL is that of a server with a large profile, with the query that chooses it:
// "http://127.0.0.1:7878/?from=now-24h". The function is that of the sandwich.

import { cpus, loadavg } from "node:os";
import type { Page } from "playwright-core";
import { withBrowser } from "../e2e/browser";
import { memoryOf, move, prepare, report, row, type Move } from "./moves";

const [at = "http://127.0.0.1:7878/", fn = "1"] = process.argv.slice(2);

const MOVES: readonly Move[] = [
  { name: "zoom in and out", frames: 240, event: { deltaY: -20, ctrlKey: true } },
  { name: "pan at 1/8", frames: 240, event: { deltaX: 30 }, before: 21 },
  { name: "pan at 1/500", frames: 240, event: { deltaX: 30 }, before: 62 },
  { name: "hover", frames: 240, hover: true },
  { name: "search", frames: 240, type: "method_12|class7", input: "#search" },
];

function address(view: string): string {
  const url = new URL(at);
  url.pathname = `/${view}`;
  // Of one service the two halves are the same, and of all its frames.
  if (view === "compare") url.searchParams.set("compare.show", "flame");
  if (view === "sandwich") url.searchParams.set("fn", fn);
  return url.href;
}

// filled waits until there is nothing more to come.
async function filled(page: Page): Promise<void> {
  await page.waitForSelector(".flame-host:not([hidden]) canvas");
  await page.waitForFunction(() => {
    const filling = document.querySelector(".filling");
    // A comparison has all it asks for at once.
    if (!filling) return document.querySelector('.flame-graph[aria-busy="false"]') !== null;
    const text = filling.textContent ?? "";
    return text !== "" && !text.includes("…");
  });
}

// A sandwich has two: what the function calls is below, and is the large half here.
const CALLEES = ".flame-graph ~ .flame-graph canvas";

console.log(`load ${loadavg()[0].toFixed(1)} on ${cpus().length} CPUs`);
await withBrowser({ width: 1280, height: 900 }, async (context) => {
  for (const view of (process.argv[4] ?? "flame reverse sandwich").split(" ")) {
    const page = await context.newPage();
    page.on("pageerror", (e) => {
      console.log(e);
    });
    await prepare(page);
    const first: number[] = [];
    const whole: number[] = [];
    for (let i = 0; i < 5; i++) {
      await page.goto("about:blank");
      const begin = performance.now();
      await page.goto(address(view), { waitUntil: "commit" });
      await page.waitForSelector(".flame-host:not([hidden]) canvas");
      first.push(performance.now() - begin);
      await filled(page);
      whole.push(performance.now() - begin);
    }
    console.log(row(`${view}: from opening to the picture`, first));
    console.log(row(`${view}: from opening to all of the tree`, whole));
    if (view !== "compare") console.log(`${view}: ${await page.textContent(".filling")}`);
    for (const m of MOVES) {
      await page.goto(address(view));
      await filled(page);
      await page.waitForTimeout(500);
      console.log(
        report(`${view}, ${m.name}`, await move(page, m, view === "sandwich" ? CALLEES : "canvas")),
      );
    }
    console.log(`${view}: the tab holds ${(await memoryOf(context, page)).toFixed(0)} MiB`);
    await page.close();
  }
});
