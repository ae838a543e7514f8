// How smoothly a tree of a million nodes pans and zooms: node --import tsx
// test/bench/frames.ts [NODES]. Wheel events go in as a user's would; what comes
// out is the time between the frames that the browser gave, and how long the
// page's own work for a frame took.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { withBrowser } from "../e2e/browser";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const nodes = Number(process.argv[2] ?? 1_000_000);

interface Move {
  readonly name: string;
  readonly view: string;
  readonly frames: number;
  readonly event: { deltaX?: number; deltaY?: number; ctrlKey?: boolean };
  readonly before?: number; // wheel steps of zoom first
}

const MOVES: readonly Move[] = [
  { name: "zoom in", view: "flame", frames: 120, event: { deltaY: -20, ctrlKey: true } },
  { name: "pan at 1/8", view: "flame", frames: 120, event: { deltaX: 30 }, before: 21 },
  { name: "pan at 1/500", view: "flame", frames: 120, event: { deltaX: 30 }, before: 62 },
  { name: "zoom in", view: "reverse", frames: 120, event: { deltaY: -20, ctrlKey: true } },
  { name: "pan at 1/8", view: "reverse", frames: 120, event: { deltaX: 30 }, before: 21 },
];

interface Result {
  readonly intervals: number[]; // ms between frames
  readonly work: number[]; // ms of the page's own work in a frame
}

async function measure(page: Page, move: Move): Promise<Result> {
  await page.goto(page.url().replace(/#.*/, "") + `#view=${move.view}`);
  await page.reload();
  await page.waitForSelector("[data-ready]", { timeout: 120_000 });
  await page.waitForTimeout(3000); // the first picture, and growing what it lacks
  return page.evaluate(async (m) => {
    const canvas = document.querySelector("canvas");
    if (!canvas) throw new Error("no canvas");
    const box = canvas.getBoundingClientRect();
    const wheel = (event: object): void => {
      canvas.dispatchEvent(
        new WheelEvent("wheel", {
          clientX: box.left + box.width * 0.37,
          clientY: box.top + 100,
          bubbles: true,
          cancelable: true,
          ...event,
        }),
      );
    };
    const nextFrame = async (): Promise<number> => new Promise(requestAnimationFrame);
    for (let i = 0; i < (m.before ?? 0); i++) wheel({ deltaY: -20, ctrlKey: true });
    for (let i = 0; i < 120; i++) await nextFrame();
    const intervals: number[] = [];
    const work: number[] = [];
    let last = await nextFrame();
    for (let i = 0; i < m.frames; i++) {
      const direction = i < m.frames / 2 ? 1 : -1;
      const event = { ...m.event };
      if (event.deltaX !== undefined) event.deltaX *= direction;
      if (event.deltaY !== undefined) event.deltaY *= direction;
      const begin = performance.now();
      wheel(event); // asks for a frame; the next callback runs behind the painting
      const now = await nextFrame();
      work.push(performance.now() - Math.max(begin, now));
      intervals.push(now - last);
      last = now;
    }
    return { intervals, work };
  }, move);
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

function row(name: string, values: readonly number[]): string {
  const s = [...values].sort((a, b) => a - b);
  return `${name} median ${quantile(s, 0.5).toFixed(1)} p95 ${quantile(s, 0.95).toFixed(1)} max ${quantile(s, 1).toFixed(1)} ms`;
}

const dir = mkdtempSync(path.join(tmpdir(), "whyhot-bench-"));
try {
  execFileSync("go", ["run", "./web/test/pages", "-out", dir, "-nodes", String(nodes)], {
    cwd: root,
  });
  const file = path.join(dir, "large.html");
  console.log(
    `${nodes} nodes, ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB, ${cpus().length} CPUs`,
  );
  await withBrowser({ width: 1280, height: 900 }, async (context) => {
    const page = await context.newPage();
    // What the TypeScript loader leaves in functions that are sent to the page.
    await page.addInitScript("globalThis.__name = (f) => f");
    const loads: number[] = [];
    for (let i = 0; i < 5; i++) {
      const begin = performance.now();
      await page.goto("about:blank");
      await page.goto(`file://${file}`);
      await page.waitForSelector("[data-ready]", { timeout: 120_000 });
      loads.push(performance.now() - begin);
    }
    console.log(row("from opening to the picture:", loads));
    for (const move of MOVES) {
      const r = await measure(page, move);
      const dropped = r.intervals.filter((ms) => ms > 25).length;
      console.log(
        `${move.view}, ${move.name}: ${row("frame", r.intervals)}; ${row("work", r.work)}; ${dropped} of ${r.intervals.length} frames late`,
      );
    }
  });
} finally {
  rmSync(dir, { recursive: true, force: true });
}
