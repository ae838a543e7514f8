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
import { move, prepare, report, row, type Move, type Result } from "./moves";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const nodes = Number(process.argv[2] ?? 1_000_000);

interface Shown extends Move {
  readonly view: string;
}

const MOVES: readonly Shown[] = [
  { name: "zoom in", view: "flame", frames: 120, event: { deltaY: -20, ctrlKey: true } },
  { name: "pan at 1/8", view: "flame", frames: 120, event: { deltaX: 30 }, before: 21 },
  { name: "pan at 1/500", view: "flame", frames: 120, event: { deltaX: 30 }, before: 62 },
  { name: "zoom in", view: "reverse", frames: 120, event: { deltaY: -20, ctrlKey: true } },
  { name: "pan at 1/8", view: "reverse", frames: 120, event: { deltaX: 30 }, before: 21 },
];

async function measure(page: Page, m: Shown): Promise<Result> {
  await page.goto(page.url().replace(/#.*/, "") + `#view=${m.view}`);
  await page.reload();
  await page.waitForSelector("[data-ready]", { timeout: 120_000 });
  await page.waitForTimeout(3000); // the first picture, and growing what it lacks
  return move(page, m);
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
    await prepare(page);
    const loads: number[] = [];
    for (let i = 0; i < 5; i++) {
      const begin = performance.now();
      await page.goto("about:blank");
      await page.goto(`file://${file}`);
      await page.waitForSelector("[data-ready]", { timeout: 120_000 });
      loads.push(performance.now() - begin);
    }
    console.log(row("from opening to the picture:", loads));
    for (const m of MOVES) {
      console.log(report(`${m.view}, ${m.name}`, await measure(page, m)));
    }
  });
} finally {
  rmSync(dir, { recursive: true, force: true });
}
