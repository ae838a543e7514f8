// The flame graphs of the server's page, on a real server.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { gunzipSync } from "node:zlib";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { Fleet } from "./fleet";
import { withTab } from "./tab";

const STACKS: Record<string, number> = {
  "main;demo::parse": 400,
  "main;demo::parse;malloc": 200,
  "main;demo::render": 100,
  "main;demo::render;malloc": 200,
  "main;idle": 100,
};
const FOLDED = Object.entries(STACKS)
  .map(([stack, n]) => `${stack} ${n}\n`)
  .join("");
const ROW = 20;

interface Tab {
  readonly fleet: Fleet;
  readonly page: Page;
  readonly push: (service: string, folded: string) => Promise<void>;
  open: (address: string) => Promise<void>;
}

// withDemo opens a tab of a server that has the stacks.
async function withDemo(use: (tab: Tab) => Promise<void>): Promise<void> {
  const fleet = await Fleet.start("--rules-every", "0");
  const push = async (service: string, folded: string): Promise<void> => {
    await fleet.push(folded, { service, period: "10ms" });
    await fleet.until<{ values: { value: string }[] }>("services", ({ values }) =>
      values.some((v) => v.value === service),
    );
  };
  try {
    await push("demo", FOLDED);
    await withTab({ width: 1200, height: 700 }, async (page) => {
      const open = async (address: string): Promise<void> => {
        await page.goto(fleet.url + address);
        await ready(page);
      };
      await use({ fleet, page, push, open });
    });
  } finally {
    await fleet.end();
  }
}

async function ready(page: Page): Promise<void> {
  await page.waitForSelector(".flame-host:not([hidden]) canvas");
  await page.waitForFunction(() =>
    /^[\d,]+ nodes/.test(document.querySelector(".filling")?.textContent ?? ""),
  );
}

// point is a place in a graph: a level, and a fraction of its width.
async function point(page: Page, level: number, at: number, graph = 0): Promise<[number, number]> {
  const box = await page.locator("canvas").nth(graph).boundingBox();
  assert.ok(box);
  return [box.x + box.width * at, box.y + level * ROW + ROW / 2];
}

const selected = async (page: Page): Promise<string> =>
  (await page.textContent(".details .name")) ?? "";
const facts = async (page: Page): Promise<string> =>
  (await page.textContent(".details .text")) ?? "";

// click selects the frame of that name, which an answer that is on its way may yet bring.
async function click(page: Page, level: number, at: number, name: string): Promise<void> {
  for (let frame = 0; frame < 120; frame++) {
    await page.mouse.click(...(await point(page, level, at)));
    if ((await selected(page)) === name) return;
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  assert.equal(await selected(page), name);
}

test("a click names a frame with its share, and its address brings it back", async () => {
  await withDemo(async ({ page, open }) => {
    await open("/flame");
    assert.match((await page.textContent(".filling")) ?? "", /^7 nodes$/);
    await page.mouse.click(...(await point(page, 2, 0.3)));
    assert.equal(await selected(page), "demo::parse");
    assert.match(await facts(page), /60\.0% ± 3\.0.*own 40\.0%/);
    const address = page.url();
    assert.match(address, /flame\.range=.*flame\.select=2/);
    await open("/flame");
    await page.goto(address);
    await ready(page);
    assert.equal(await selected(page), "demo::parse");
    // Zoomed in: what stood in the middle of the graph is out of sight.
    await page.mouse.click(...(await point(page, 3, 0.2)));
    assert.equal(await selected(page), "malloc");
    await page.keyboard.press("0");
    await page.mouse.click(...(await point(page, 2, 0.75)));
    assert.equal(await selected(page), "demo::render");
  });
});

test("a search marks, says the share of all samples, and goes from hit to hit", async () => {
  await withDemo(async ({ page, open }) => {
    await open("/flame");
    await page.keyboard.press("/");
    await page.keyboard.type("malloc");
    await page.waitForFunction(() => document.body.textContent?.includes("40.0% in 1 function"));
    await page.keyboard.press("Enter");
    await page.locator("canvas").focus();
    await page.keyboard.press("n");
    await page.keyboard.press("n");
    assert.equal(await selected(page), "malloc");
    assert.match(page.url(), /q=malloc/);
    await page.goto(page.url());
    await ready(page);
    await page.waitForFunction(() => document.body.textContent?.includes("40.0% in 1 function"));
  });
});

test("the menu focuses and hides, and Back undoes it", async () => {
  await withDemo(async ({ page, open }) => {
    await open("/flame");
    await page.mouse.click(...(await point(page, 2, 0.3)), { button: "right" });
    await page.getByRole("menuitem", { name: /^Hide/ }).click();
    await page.waitForSelector(".chip");
    // What parse called is main's now: one malloc of 20 %, and render with another.
    await page.waitForFunction(() =>
      document.querySelector(".filling")?.textContent?.startsWith("7 nodes"),
    );
    await click(page, 2, 0.4, "malloc");
    assert.match(await facts(page), /20\.0%/);
    await page.goBack(); // the zoom first
    await page.waitForSelector(".chip");
    await page.goBack();
    await page.waitForSelector(".chip", { state: "detached" });
    await page.keyboard.press("0");
    await click(page, 2, 0.3, "demo::parse");
    await page.mouse.click(...(await point(page, 2, 0.3)), { button: "right" });
    await page.keyboard.press("ArrowDown");
    await page.getByRole("menuitem", { name: /^Focus/ }).click();
    await page.waitForSelector(".chip");
    await page.waitForFunction(() =>
      document.querySelector(".filling")?.textContent?.startsWith("2 nodes"),
    );
    await page.mouse.click(...(await point(page, 0, 0.5)));
    assert.equal(await selected(page), "demo::parse");
    await page.getByRole("button", { name: /undo/ }).click();
    await page.waitForFunction(() =>
      document.querySelector(".filling")?.textContent?.startsWith("7 nodes"),
    );
  });
});

test("the reverse begins with the code that ran, a double click opens the sandwich", async () => {
  await withDemo(async ({ page, open }) => {
    await open("/reverse");
    await page.mouse.click(...(await point(page, 1, 0.6)));
    assert.equal(await selected(page), "malloc");
    assert.match(await facts(page), /40\.0%/);
    await page.keyboard.press("0");
    await page.mouse.dblclick(...(await point(page, 1, 0.6)));
    await page.waitForSelector(".sandwich");
    await page.waitForFunction(() =>
      /malloc.*total 40\.0%/s.test(document.querySelector(".function")?.textContent ?? ""),
    );
    assert.equal(await page.locator("canvas").count(), 2);
    await page.goBack();
    await page.waitForSelector(".sandwich", { state: "detached" });
    assert.match(page.url(), /\/reverse/);
  });
});

// saved is the file that an entry of the export menu gives.
async function saved(page: Page, entry: RegExp): Promise<string> {
  await page.getByRole("button", { name: /^Export/ }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: entry }).click(),
  ]);
  return download.path();
}

test("a graph is exported as pictures, stacks and a profile", async () => {
  await withDemo(async ({ page, open }) => {
    await open("/flame");
    const bytesOf = async (entry: RegExp): Promise<Buffer> =>
      readFileSync(await saved(page, entry));
    const folded = (await bytesOf(/folded/)).toString().trim().split("\n").sort();
    const want = Object.entries(STACKS).map(([stack, n]) => `${stack} ${n * 10_000_000}`);
    assert.deepEqual(folded, want.sort());
    const svg = (await bytesOf(/SVG/)).toString();
    assert.match(svg, /^<svg [^>]*xmlns/);
    assert.match(svg, /<title>demo::parse 60\.0% ± 3\.0<\/title>/);
    const error = await page.evaluate(
      (text) =>
        new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")
          ?.textContent ?? "",
      svg,
    );
    assert.equal(error, "");
    const png = await bytesOf(/PNG/);
    assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert.ok(png.readUInt32BE(16) >= 2400, "twice as sharp as a screen");
    const pprof = gunzipSync(await bytesOf(/pprof/)).toString("latin1");
    assert.match(pprof, /demo::render/);
  });
});

test("other programs read what is exported, whatever the names hold", async () => {
  const names = [`say "it's"`, "vec<T&, U*>::op<<", "größe 日本語 🔥", "end 7", "$a\\b"];
  const weights = names.map((_, i) => 100 + i);
  const total = 2 * weights.reduce((a, b) => a + b) * 10_000_000;
  await withDemo(async ({ page, push, open }) => {
    const stacks = names.map(
      (n, i) => `main;${n} ${weights[i]}\nmain;${n};${names[0]} ${weights[i]}\n`,
    );
    await push("awkward", stacks.join(""));
    await open("/flame?service=awkward");

    // Go's pprof.
    const raw = execFileSync("go", ["tool", "pprof", "-raw", await saved(page, /pprof/)], {
      env: { ...process.env, PPROF_TMPDIR: tmpdir() },
      stdio: ["ignore", "pipe", "ignore"],
    }).toString();
    const [, samples, locations] = /Samples:\n.*\n([^]*)Locations\n([^]*)/.exec(raw) ?? [];
    const values = [...samples.matchAll(/^\s*(\d+)\s*(\d*):/gm)].map((m) => Number(m[2] || m[1]));
    assert.equal(
      values.reduce((a, b) => a + b),
      total,
    );
    for (const n of names) assert.ok(locations.includes(n), n);

    // An XML parser, and a reader of folded stacks as their format says.
    const svg = readFileSync(await saved(page, /SVG/), "utf8");
    const titles = await page.evaluate((text) => {
      const document = new DOMParser().parseFromString(text, "image/svg+xml");
      if (document.querySelector("parsererror")) throw new Error("no XML");
      return [...document.querySelectorAll("rect > title")].map((t) => t.textContent ?? "");
    }, svg);
    for (const n of names)
      assert.ok(
        titles.some((t) => t.startsWith(`${n} `)),
        n,
      );
    const folded = readFileSync(await saved(page, /folded/), "utf8")
      .trim()
      .split("\n");
    assert.equal(
      folded.reduce((sum, line) => sum + Number(/ (\d+)$/.exec(line)?.[1]), 0),
      total,
    );

    // A picture of something.
    const png = readFileSync(await saved(page, /PNG/)).toString("base64");
    const colors = await page.evaluate(async (data) => {
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const context = canvas.getContext("2d");
      context?.drawImage(picture, 0, 0);
      const pixels = context?.getImageData(0, 0, picture.width, picture.height).data ?? [];
      return new Set(new Uint32Array(Uint8Array.from(pixels).buffer)).size;
    }, png);
    assert.ok(colors > 20, `${colors} colours`);
  });
});

test("what was left out is asked for where the reader looks", async () => {
  await withDemo(async ({ page, push, open }) => {
    // One stack is some two million times as heavy as each of the others.
    const thin = Array.from({ length: 40 }, (_, i) => `main;thin;leaf${i};end 1\n`).join("");
    await push("heavy", `main;hot 80000000\n${thin}`);
    const asked: string[] = [];
    page.on("request", (r) => {
      if (r.url().includes("/api/v1/tree")) asked.push(decodeURIComponent(r.url()));
    });
    await open("/reverse?service=heavy&exact=true&reverse.range=0.9999999,1");
    await page.waitForFunction(() =>
      /^8\d nodes|^1\d\d nodes/.test(document.querySelector(".filling")?.textContent ?? ""),
    );
    assert.ok(asked.some((url) => /min_share=[\d.e-]+/.test(url)));
    await page.mouse.click(...(await point(page, 1, 0.5)));
    assert.equal(await selected(page), "end");
  });
});

test("the call graph lists the heaviest of many callers, and the others on demand or found", async () => {
  await withDemo(async ({ fleet, page, push }) => {
    const callers = Array.from({ length: 60 }, (_, i) => `main;caller_${i};take ${100 + i}\n`);
    await push("wide", callers.join(""));
    const { functions } = await fleet.ask<{ functions: { id: number; name: string }[] }>(
      "functions?q=take",
    );
    const fn = functions.find((f) => f.name === "take")?.id ?? 0;
    await page.goto(`${fleet.url}/callgraph?service=wide&fn=${fn}`);
    const rows = page.locator(".neighbours table").first().locator("tbody tr");
    await rows.first().waitFor();
    // What is left out is summed: the twenty lightest of 60.
    assert.match(await rows.last().innerText(), /^28\.2%.*20 more callers$/s);
    await page.keyboard.press("/");
    await page.keyboard.type("caller_3$");
    await rows.filter({ hasText: /caller_3(?!\d)/ }).waitFor();
    await page.getByRole("button", { name: /^\d+ more callers$/ }).click();
    await page.waitForURL(/callgraph\.all=true/);
    await page.waitForFunction(
      () => document.querySelectorAll(".neighbours table:first-of-type tbody tr").length === 60,
    );
  });
});

test("the graph has rows enough on a telephone, and at 200 % of a usual window", async () => {
  await withDemo(async ({ page, open }) => {
    for (const [width, height] of [
      [640, 400],
      [360, 640],
    ]) {
      await page.setViewportSize({ width, height });
      await open("/flame");
      const box = await page.locator(".flame .scroller").first().boundingBox();
      assert.ok(box && box.height >= 15 * ROW, `${width} × ${height}: ${box?.height ?? 0} px`);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wider <= width, `${wider} px wide`);
      // All of it is reached by scrolling.
      await page.locator(".details").scrollIntoViewIfNeeded();
      assert.ok(await page.locator(".details").isVisible());
    }
  });
});
