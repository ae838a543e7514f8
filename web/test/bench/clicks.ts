// How long it takes from a click to the painted answer, in every view and with every
// filter: node --import tsx test/bench/clicks.ts URL [ROUNDS]
// URL is that of a server with a large store. Every round asks about a time of its own,
// so that no answer is there before. A click is a real one; what is measured begins at
// the event's own time and ends in the frame after the one in which nothing on the page
// waits or shows an older answer.

import { cpus, loadavg } from "node:os";
import type { Locator, Page } from "playwright-core";
import { withBrowser } from "../e2e/browser";

const [at = "http://127.0.0.1:7878/", rounds = "10"] = process.argv.slice(2);
const ROUNDS = Number(rounds);
const HOUR = 3_600_000;
const PATIENCE = 20_000; // ms

// watch is put into the page: it times the next click or key.
// A search begins a moment after the last key: it is over when it says what it found.
function watch(search: boolean): void {
  const w = window as unknown as { answered: Promise<number> };
  w.answered = new Promise((done, failed) => {
    const begin = (e: Event): void => {
      for (const type of ["click", "input"]) removeEventListener(type, begin, true);
      const start = e.timeStamp;
      let frames = 0;
      const found = (): string => document.querySelector("#search-result")?.textContent ?? "";
      const look = (): void => {
        const LEAST = 3; // frames, in which the page asks
        const waits = document.querySelector('#view [aria-busy="true"], .panel [aria-busy="true"]');
        if (document.querySelector('#view .state[role="alert"]')) {
          failed(new Error(document.querySelector("#view")?.textContent ?? ""));
        } else if (frames++ < LEAST || waits || (search && found() === "")) {
          if (performance.now() - start > 20_000) failed(new Error("no answer"));
          else requestAnimationFrame(look);
        } else {
          // The next frame begins when this one was painted.
          requestAnimationFrame(() => {
            done(performance.now() - start);
          });
        }
      };
      requestAnimationFrame(look);
    };
    for (const type of ["click", "input"]) addEventListener(type, begin, true);
  });
}

const times = new Map<string, number[]>();

async function timed(page: Page, name: string, act: () => Promise<unknown>): Promise<void> {
  await page.evaluate(watch, name.includes("search"));
  await act();
  const ms = await page.evaluate(
    () => (window as unknown as { answered: Promise<number> }).answered,
  );
  times.set(name, [...(times.get(name) ?? []), ms]);
}

async function settled(page: Page): Promise<void> {
  await page.waitForSelector("#view");
  await page.waitForFunction(
    () => !document.querySelector('#view[aria-busy="true"], #view [aria-busy="true"]'),
    undefined,
    { timeout: PATIENCE },
  );
}

const VIEWS = [
  "Overview",
  "Top",
  "Flame graph",
  "Reverse",
  "Callers & callees",
  "Call graph",
  "Lines",
  "Compare",
  "Findings",
];

// open gives a view of a time that nobody has asked about.
let asked = 0;
function address(view: string, hours: number, fn: number): string {
  const url = new URL(at);
  const to = Date.now() - 2 * HOUR - ++asked * 7 * 60_000;
  url.pathname = view;
  url.searchParams.set("from", new Date(to - hours * HOUR).toISOString());
  url.searchParams.set("to", new Date(to).toISOString());
  url.searchParams.set("fn", String(fn));
  return url.href;
}

function filter(page: Page, title: string): Locator {
  return page.locator(".filters .popover", { has: page.getByRole("button", { name: title }) });
}

async function only(page: Page, view: string, title: string, index: number): Promise<void> {
  const box = filter(page, title).first();
  await timed(page, `open the filter ${title.toLowerCase()}`, () =>
    box.getByRole("button").first().click(),
  );
  const list = box.locator(".values li");
  await list.first().waitFor();
  const one = list.nth(index % (await list.count()));
  await one.hover();
  await timed(page, `${view}: one ${title.toLowerCase()}`, () => one.getByRole("button").click());
  await page.keyboard.press("Escape");
}

async function hottest(): Promise<number> {
  const response = await fetch(new URL("/api/v1/top?from=now-24h&limit=1&sort=self", at));
  const top = (await response.json()) as { rows: { function: { id: number } }[] };
  return top.rows[0].function.id;
}

function line(name: string, list: readonly number[]): string {
  const sorted = [...list].sort((a, b) => a - b);
  const part = (p: number): string =>
    sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)].toFixed(0);
  return `| ${name} | ${sorted.length} | ${part(0.5)} | ${part(0.95)} | ${part(1)} |`;
}

console.log(`load ${loadavg()[0].toFixed(1)} on ${cpus().length} CPUs`);
await withBrowser({ width: 1280, height: 900 }, async (context) => {
  // tsx marks functions by a helper that the page does not have.
  await context.addInitScript({ content: "globalThis.__name = (f) => f" });
  const fn = await hottest();
  const page = await context.newPage();
  page.on("pageerror", (e) => {
    console.log(e);
  });
  page.setDefaultTimeout(PATIENCE);
  const nav = (title: string): Locator =>
    page.locator("nav.views").getByRole("link", { name: title, exact: true });
  for (const hours of [24, 168]) {
    const span = hours === 24 ? "a day" : "a week";
    for (let round = 0; round < ROUNDS; round++) {
      for (const view of VIEWS) {
        if (view === "Compare" && hours > 24) continue; // the store has no week before
        try {
          // From settings, which asks nothing about samples.
          await page.goto(address("settings", hours, fn));
          await settled(page);
          await timed(page, `${view}: opened, ${span}`, () => nav(view).click());
          if (view === "Findings") continue;
          if (round % 2 === 0) {
            await only(page, view, "Service", round / 2);
            await only(page, view, "Host", round);
          } else {
            await only(page, view, "Version", round);
            await only(page, view, "Container", round);
          }
        } catch (e) {
          console.log(`${view}, ${span}, round ${round}: ${String(e).slice(0, 300)}`);
        }
      }
      await page.goto(address("top", hours, 0));
      await settled(page);
      await timed(page, `Top: by total, ${span}`, () =>
        page.getByRole("columnheader", { name: "Total" }).getByRole("button").click(),
      );
      await timed(page, `Top: a search, ${span}`, () =>
        page.locator("#search").pressSequentially("e"),
      );
      await page.waitForTimeout(400);
      await settled(page);
    }
  }
});
console.log("| | n | median, ms | p95 | worst |\n|---|---|---|---|---|");
for (const [name, list] of [...times].sort(([a], [b]) => a.localeCompare(b)))
  console.log(line(name, list));
console.log(line("all", [...times.values()].flat()));
console.log(`load ${loadavg()[0].toFixed(1)}`);
