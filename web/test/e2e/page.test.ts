// The pages in a real browser: what a user does, and that nothing leaves them.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { withBrowser, type Look } from "./browser";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
let pages = "";

before(() => {
  pages = mkdtempSync(path.join(tmpdir(), "whyhot-pages-"));
  execFileSync("go", ["run", "./web/test/pages", "-out", pages], { cwd: root });
});

after(() => {
  rmSync(pages, { recursive: true, force: true });
});

// open shows a page and fails the test on any console error, any request but
// the one for the file itself, and any script that a name smuggled in.
async function open(
  name: string,
  hash: string,
  look: Look,
  use: (page: Page, context: BrowserContext) => Promise<void>,
): Promise<void> {
  await withBrowser(look, async (context) => {
    const page = await context.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (m) => {
      if (m.type() === "error") complaints.push(m.text());
    });
    page.on("pageerror", (e) => complaints.push(String(e)));
    page.on("request", (r) => {
      if (!r.url().startsWith("data:")) requests.push(r.url().replace(/#.*/, ""));
    });
    const url = `file://${path.join(pages, name)}`;
    await page.goto(url + hash);
    await page.waitForSelector("[data-ready]");
    await use(page, context);
    assert.deepEqual(complaints, []);
    assert.deepEqual(new Set(requests), new Set([url]));
    assert.equal(await page.evaluate(() => "hacked" in window), false);
  });
}

const range = async (page: Page): Promise<number[]> =>
  page.evaluate(() =>
    (new URLSearchParams(location.hash.slice(1)).get("range") ?? "0,1").split(",").map(Number),
  );

const param = async (page: Page, name: string): Promise<string | null> =>
  page.evaluate((n) => new URLSearchParams(location.hash.slice(1)).get(n), name);

// clickFrame clicks into the first canvas: level counts rows, at is a fraction.
async function clickFrame(page: Page, level: number, at: number, ctrl = false): Promise<void> {
  const box = await page.locator("canvas").first().boundingBox();
  assert.ok(box);
  const modifiers = ctrl ? (["Control"] as const) : [];
  await page
    .locator("canvas")
    .first()
    .click({ position: { x: box.width * at, y: level * 20 + 10 }, modifiers: [...modifiers] });
}

test("a click zooms, names the frame, and the address brings it back", async () => {
  await open("flame.html", "", {}, async (page, context) => {
    await clickFrame(page, 2, 0.3); // demo::parse, 600 of 1000
    assert.deepEqual(await range(page), [0, 0.6]);
    assert.equal(await page.locator(".details .name").innerText(), "demo::parse");
    assert.match(
      await page.locator(".details .whole").innerText(),
      /^demo::parse\(std::vector<std::pair/,
    );
    assert.match(await page.locator(".details .fact").innerText(), /60\.0% ± 3\.0.*600 ms/);
    assert.match(await page.locator(".details .fact").innerText(), /demo\.cc:20/);
    const again = await context.newPage();
    await again.goto(page.url());
    await again.waitForSelector("[data-ready]");
    assert.deepEqual(await range(again), [0, 0.6]);
    assert.match(await again.locator(".details .name").innerText(), /^demo::parse/);
    await page.keyboard.press("0");
    assert.deepEqual(await range(page), [0, 1]);
    assert.equal(await page.locator(".details .name").count(), 0);
  });
});

test("the wheel zooms where the pointer is, dragging pans and is no click", async () => {
  await open("flame.html", "", {}, async (page) => {
    const box = await page.locator("canvas").boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 4, box.y + 50);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -140); // e^0.7: about twice as large
    await page.keyboard.up("Control");
    await page.waitForFunction(() => location.hash.includes("range="));
    const [from, to] = await range(page);
    assert.ok(Math.abs(to - from - Math.exp(-0.7)) < 1e-6, `${from}–${to}`);
    assert.ok(Math.abs(from + (to - from) / 4 - 0.25) < 1e-3, "the point under the pointer moved");
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4 - 100, box.y + 50, { steps: 4 });
    await page.mouse.up();
    const moved = await range(page);
    const want = from + (100 / box.width) * (to - from);
    assert.ok(Math.abs(moved[0] - want) < 1e-3, `${moved[0]}, want ${want}`);
    assert.equal(await page.locator(".details .name").count(), 0, "a drag selected a frame");
  });
});

test("a search says what share of the samples matched, in every view", async () => {
  await open("flame.html", "", {}, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("render|malloc");
    await page.keyboard.press("Enter");
    const result = page.locator(".result");
    // malloc 200 of 1000, render 300 although it calls itself three deep
    assert.match(await result.innerText(), /^2 functions · 50\.0% ± 3\.1/);
    await page.keyboard.press("3");
    assert.match(await result.innerText(), /^2 functions · 50\.0%/);
    await page.keyboard.press("1");
    assert.deepEqual(await page.locator(".rows .name span").allInnerTexts(), [
      "demo::render",
      "malloc",
    ]);
    assert.equal(await param(page, "q"), "render|malloc");
    await page.locator("input").fill("(");
    await page.waitForSelector(".result.failed");
    await page.locator("input").press("Escape");
    assert.equal(await result.innerText(), "");
  });
});

test("the keyboard does all: views, frames, zoom, sandwich, orientation, help", async () => {
  await open("flame.html", "", {}, async (page) => {
    await page.keyboard.press("Tab");
    for (
      let i = 0;
      i < 20 && !(await page.evaluate(() => document.activeElement?.matches("canvas")));
      i++
    ) {
      await page.keyboard.press("Tab");
    }
    const name = page.locator(".details .name");
    await page.keyboard.press("ArrowDown");
    assert.equal(await name.innerText(), "main");
    await page.keyboard.press("ArrowDown");
    assert.match(await name.innerText(), /^demo::parse/);
    await page.keyboard.press("ArrowRight");
    assert.equal(await name.innerText(), "demo::render");
    await page.keyboard.press("Enter");
    assert.deepEqual(await range(page), [0.6, 0.9]);
    await page.keyboard.press("-");
    const [from, to] = await range(page);
    assert.ok(to - from > 0.3 && to - from < 0.5, `${from}–${to}`);
    await page.keyboard.press("d");
    assert.ok((await range(page))[0] > from);
    await page.keyboard.press("f");
    assert.equal(await param(page, "root"), "below");
    await page.keyboard.press("x");
    assert.equal(await param(page, "fn"), "demo::render@demo");
    assert.match(
      await page.locator(".sandwich .function").innerText(),
      /total 30\.0%[^]*self 30\.0%/,
    );
    await page.keyboard.press("1");
    assert.equal(await param(page, "view"), "top");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await param(page, "fn"), "demo::render@demo");
    await page.keyboard.press("?");
    assert.ok(await page.locator("dialog[open]").isVisible());
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog[open]").count(), 0);
  });
});

test("ctrl-click opens callers and callees, and back returns", async () => {
  await open("flame.html", "", {}, async (page) => {
    await clickFrame(page, 3, 0.05, true); // malloc
    assert.equal(await param(page, "fn"), "malloc@libc.so.6");
    assert.match(
      await page.locator(".sandwich .function").innerText(),
      /libc\.so\.6[^]*total 20\.0%/,
    );
    await page.goBack();
    await page.waitForSelector("#tab-flame[aria-selected=true]");
    assert.equal(await page.locator(".sandwich").count(), 0);
  });
});

test("the table lists functions by self and total, each sample once", async () => {
  await open("flame.html", "#view=top", {}, async (page) => {
    const row = async (i: number): Promise<string> =>
      (await page.locator(".rows .row").nth(i).innerText()).replace(/\s+/g, " ");
    assert.match(await row(0), /^40\.0% ± 3\.0 60\.0% ± 3\.0 demo::parse demo$/);
    assert.match(await row(1), /^30\.0% ± 2\.8 30\.0% ± 2\.8 demo::render demo$/);
    await page.getByRole("columnheader", { name: "Total" }).getByRole("button").click();
    assert.match(await row(0), /^0\.0% .* 100\.0% .* main demo$/);
    const header = page.getByRole("columnheader", { name: "Total" });
    assert.equal(await header.getAttribute("aria-sort"), "descending");
  });
});

test("hovering tells the whole name; a hostile one stays text", async () => {
  await open("flame.html", "", {}, async (page) => {
    const box = await page.locator("canvas").boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width * 0.93, box.y + 50);
    const tip = page.locator(".tooltip");
    assert.match(await tip.innerText(), /<\/script><script>window\.hacked=1<\/script>/);
    assert.match(await tip.innerText(), /6\.0% ± 1\.5/);
    await page.mouse.move(box.x + box.width * 0.98, box.y + 50);
    assert.match(await tip.innerText(), /<img src=x onerror="window\.hacked=1">/);
    await page.mouse.move(5, 5);
    assert.ok(await tip.isHidden());
  });
});

// isDark waits until the graph is painted in the dark theme, or in the light one. A theme that
// never comes ends the test.
const isDark = async (page: Page, dark: boolean): Promise<void> => {
  await page.waitForFunction((wanted) => {
    const canvas = document.querySelector("canvas");
    const pixel = canvas
      ?.getContext("2d")
      ?.getImageData(canvas.width - 3, canvas.height - 3, 1, 1).data;
    return pixel !== undefined && pixel[3] > 0 && pixel[0] + pixel[1] + pixel[2] < 300 === wanted;
  }, dark);
};

test("both themes: the system's, and the button's over it", async () => {
  for (const dark of [false, true]) {
    await open("flame.html", "", { dark }, async (page) => {
      await isDark(page, dark);
      await page.keyboard.press("t");
      await isDark(page, !dark);
      assert.equal(await param(page, "theme"), dark ? "light" : "dark");
    });
  }
});

test("the canvas is as sharp as the screen", async () => {
  await open("flame.html", "", { ratio: 2, width: 700 }, async (page) => {
    await page.waitForFunction(() => {
      const c = document.querySelector("canvas");
      return (
        c !== null && c.width > 0 && Math.abs(c.width - 2 * c.getBoundingClientRect().width) <= 1
      );
    });
  });
});

test("the report shows findings, and takes them to the flame graph", async () => {
  await open("report.html", "", {}, async (page) => {
    const cards = page.locator(".card");
    assert.equal(await cards.count(), 4);
    assert.ok(await cards.nth(3).isHidden(), "refuted findings are folded");
    await page.locator(".folded summary").click();
    assert.ok(await cards.nth(3).isVisible());
    const show = cards.nth(0).getByRole("button", { name: "Show in the flame graph" });
    await show.click();
    assert.match(await page.locator(".result").innerText(), /^malloc · 20\.0% ± 2\.5/);
    assert.equal(await param(page, "finding"), "replace-malloc-1a2b3c4d");
    assert.equal(
      await cards.nth(2).getByRole("button", { name: "Show" }).count(),
      0,
      "not in this profile",
    );
    await page.reload();
    await page.waitForSelector("[data-ready]");
    assert.match(await page.locator(".result").innerText(), /^malloc · 20\.0%/);
  });
});

test("the next command is copied as it is", async () => {
  await open("report.html", "", {}, async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(".next .copy").first().click();
    await page.getByText("Copied").waitFor();
    assert.equal(
      await page.evaluate(() => navigator.clipboard.readText()),
      "whyhot try --preload mimalloc,jemalloc -- demo --input 'big file'",
    );
  });
});

test("a report without findings says so", async () => {
  await open("silent.html", "", {}, async (page) => {
    assert.match(await page.locator(".findings").innerText(), /Nothing to change/);
    assert.equal(await page.locator(".card").count(), 0);
  });
});

test("keys typed beside the graph of a report stay with the page", async () => {
  await open("report.html", "", {}, async (page) => {
    await page.locator("body").press("3");
    assert.equal(await param(page, "view"), null);
  });
});

test("nothing is wider than a narrow window", async () => {
  for (const name of ["report.html", "flame.html"]) {
    await open(name, "", { width: 400 }, async (page) => {
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      assert.ok(over <= 0, `${name} is ${over} pixels too wide`);
    });
  }
});

test("a browser that blocks scripts still shows findings and a table", async () => {
  await withBrowser({ scripts: false }, async (context) => {
    const page = await context.newPage();
    await page.goto(`file://${path.join(pages, "report.html")}`);
    assert.equal(await page.locator(".card").count(), 4);
    assert.match(await page.locator(".static").innerText(), /demo::render/);
  });
});
