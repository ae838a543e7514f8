// The moves of fleet-frames.ts in another viewer's page, for the same profile:
// node --import tsx test/bench/peer-frames.ts NAME URL CANVAS [SEARCH-BOX [MOVE…]]
// CANVAS is the selector of what takes the wheel; the page is ready once it is there. Moves
// by their names, all without any.

import { cpus, loadavg } from "node:os";
import { withBrowser } from "../e2e/browser";
import { memoryOf, move, prepare, report, row, type Move } from "./moves";

const [name, url, canvas, input, ...only] = process.argv.slice(2);

const ALL: readonly Move[] = [
  { name: "zoom in and out", frames: 240, event: { deltaY: -20, ctrlKey: true } },
  { name: "pan at 1/8", frames: 240, event: { deltaX: 30 }, before: 21 },
  { name: "pan at 1/500", frames: 240, event: { deltaX: 30 }, before: 62 },
  { name: "hover", frames: 240, hover: true },
  ...(input === undefined
    ? []
    : [{ name: "search", frames: 240, type: "method_12|class7", input }]),
];

const MOVES = ALL.filter((m) => only.length === 0 || only.includes(m.name));

console.log(`load ${loadavg()[0].toFixed(1)} on ${cpus().length} CPUs`);
await withBrowser({ width: 1280, height: 900 }, async (context) => {
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  await prepare(page);
  const loads: number[] = [];
  for (const m of MOVES) {
    await page.goto("about:blank");
    const begin = performance.now();
    await page.goto(url, { waitUntil: "commit" });
    await page.waitForSelector(canvas);
    await page.evaluate(async () => new Promise(requestAnimationFrame));
    loads.push(performance.now() - begin);
    await page.waitForTimeout(2000);
    console.log(report(`${name}, ${m.name}`, await move(page, m, canvas)));
  }
  console.log(row(`${name}: from opening to the picture`, loads));
  console.log(`${name}: the tab holds ${(await memoryOf(context, page)).toFixed(0)} MiB`);
});
