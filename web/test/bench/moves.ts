// Moving a flame graph as a user does, and what the browser made of it: the time between
// the frames that it gave, and how long the page's own work for each took.

import { readFileSync, readdirSync } from "node:fs";
import type { BrowserContext, Page } from "playwright-core";

export interface Move {
  readonly name: string;
  readonly frames: number;
  // One event goes in for each frame, in the second half with its opposite.
  readonly event?: { deltaX?: number; deltaY?: number; ctrlKey?: boolean };
  readonly before?: number; // wheel steps of zoom first
  readonly hover?: boolean; // the pointer goes over the frames
  readonly type?: string; // typed into the search box, slowly enough that each letter is searched
  readonly input?: string; // the search box
}

export interface Result {
  readonly intervals: number[]; // ms between frames
  readonly work: number[]; // ms of the page's own work in a frame
}

export async function move(page: Page, m: Move, canvas = "canvas"): Promise<Result> {
  return page.evaluate(
    async ([m, selector]) => {
      const target = document.querySelector(selector);
      if (!target) throw new Error("no canvas");
      const box = target.getBoundingClientRect();
      const wheel = (event: object): void => {
        target.dispatchEvent(
          new WheelEvent("wheel", {
            clientX: box.left + box.width * 0.37,
            clientY: box.top + Math.min(100, box.height / 2),
            bubbles: true,
            cancelable: true,
            ...event,
          }),
        );
      };
      const nextFrame = async (): Promise<number> => new Promise(requestAnimationFrame);
      for (let i = 0; i < (m.before ?? 0); i++) wheel({ deltaY: -20, ctrlKey: true });
      for (let i = 0; i < 120; i++) await nextFrame();
      const search = m.input === undefined ? null : document.querySelector(m.input);
      const intervals: number[] = [];
      const work: number[] = [];
      let last = await nextFrame();
      for (let i = 0; i < m.frames; i++) {
        const direction = i < m.frames / 2 ? 1 : -1;
        const begin = performance.now();
        if (m.event) {
          const event = { ...m.event };
          if (event.deltaX !== undefined) event.deltaX *= direction;
          if (event.deltaY !== undefined) event.deltaY *= direction;
          wheel(event); // asks for a frame; the next callback runs behind the painting
        }
        if (m.hover === true) {
          const at = {
            clientX: box.left + (box.width * ((i * 7) % m.frames)) / m.frames,
            clientY: box.top + 20 + ((i * 11) % Math.min(300, box.height - 20)),
            bubbles: true,
          };
          target.dispatchEvent(new PointerEvent("pointermove", at));
          target.dispatchEvent(new MouseEvent("mousemove", at));
        }
        const LETTER = 14; // frames: the page waits for a pause of eight
        const letters = 1 + i / LETTER;
        const typed = m.type !== undefined && i % LETTER === 0 && letters <= m.type.length;
        if (search instanceof HTMLInputElement && typed) {
          // Through the element's own property: libraries put one of theirs before it.
          const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
          own?.set?.call(search, m.type?.slice(0, letters) ?? "");
          search.dispatchEvent(new Event("input", { bubbles: true }));
        }
        const now = await nextFrame();
        work.push(performance.now() - Math.max(begin, now));
        intervals.push(now - last);
        last = now;
      }
      return { intervals, work };
    },
    [m, canvas] as const,
  );
}

// What the TypeScript loader leaves in functions that are sent to the page.
export async function prepare(page: Page): Promise<void> {
  await page.addInitScript("globalThis.__name = (f) => f");
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

export function row(name: string, values: readonly number[]): string {
  const s = [...values].sort((a, b) => a - b);
  const at = (q: number): string => quantile(s, q).toFixed(1);
  return `${name} median ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} max ${at(1)} ms`;
}

export function report(name: string, r: Result): string {
  const late = r.intervals.filter((ms) => ms > 25).length;
  const frame = row("frame", r.intervals);
  const work = row("work", r.work);
  return `${name}: ${frame}; ${work}; ${late} of ${r.intervals.length} frames late`;
}

// memoryOf is what the process of a page holds for itself and its part of what it shares,
// in MiB, after the rubbish was taken out.
export async function memoryOf(context: BrowserContext, page: Page): Promise<number> {
  const tab = await context.newCDPSession(page);
  await tab.send("HeapProfiler.collectGarbage");
  await page.waitForTimeout(500);
  await tab.detach();
  // The page's renderer is the one that works hardest: a tab of its own has all the rest.
  let most = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!command.includes("--type=renderer") || !isBelow(pid, process.pid)) continue;
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
      const kib = Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
      most = Math.max(most, kib / 1024);
    } catch {
      // It ended meanwhile.
    }
  }
  return most;
}

// isBelow says whether a process was started by another, or by one that it started.
function isBelow(pid: string, ancestor: number): boolean {
  for (let at = pid; at !== "0";) {
    if (Number(at) === ancestor) return true;
    const stat = readFileSync(`/proc/${at}/stat`, "utf8");
    at = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]; // state, then the parent
  }
  return false;
}
