// The server's page on a real small fleet. The story: it is hot, top, call graph, finding,
// evidence, the command copied and run, and the finding is proved on the page. Then every
// view, in both themes: nothing on the console, nothing that a screen reader or a keyboard
// cannot reach (axe), nothing wider than the window of a telephone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import { run, type Fleet } from "./fleet";
import { startSmallFleet, storm } from "./small-fleet";
import { serious, widest, withTab } from "./tab";
import { everyView, settled } from "./views";

let fleet: Fleet;

before(async () => {
  fleet = await startSmallFleet();
});

after(async () => {
  await fleet.end();
});

async function open(
  at: string,
  use: (page: Page, context: BrowserContext) => Promise<void>,
): Promise<void> {
  await withTab({ width: 1280, height: 800 }, async (page, context) => {
    await page.goto(`${fleet.url}${at}`);
    await use(page, context);
  });
}

const view = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });

interface Found {
  findings: { service: string; finding: { id: string; rule: string } }[];
}

test("from a hot function to a finding that is proved", async () => {
  // The rules look every two seconds; what they find is on the page from then on.
  const { findings } = await fleet.until<Found>("findings", (f) =>
    f.findings.some((k) => k.service === "formulas" && k.finding.rule === "glibc-malloc"),
  );
  const id = findings.find((k) => k.service === "formulas")?.finding.id ?? "";

  await open("/", async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);

    // It is hot: the allocator is high in what the fleet runs.
    await view(page, "Top").click();
    const row = page.getByRole("row").filter({ hasText: "_int_malloc" });
    await row.waitFor();

    // Who calls it?
    await row.getByRole("link").click({ modifiers: ["Control"] });
    await page.locator(".callgraph .box.middle", { hasText: "_int_malloc" }).waitFor();
    const caller = page.locator(".callgraph .box:not(.middle)", { hasText: /^malloc/ }).first();
    await caller.locator("a").click();
    await page.locator(".callgraph .box.middle", { hasText: /^malloc/ }).waitFor();
    await page.getByRole("heading", { name: "malloc", exact: true }).waitFor();
    await page.goBack();
    await page.locator(".callgraph .box.middle", { hasText: "_int_malloc" }).waitFor();

    // Is there something to do about it? The finding with most to give back stands first.
    await view(page, "Findings").click();
    const first = page.locator(".findings .card").first();
    await first.getByRole("button", { name: /glibc malloc.*formulas/ }).click();
    assert.match(await first.locator(".badge").innerText(), /confirmed|suspected/);
    await first.getByText("malloc in libc.so.6", { exact: true }).waitFor();
    await first.getByRole("heading", { name: "What to change" }).waitFor();

    // What the rule looks for, and when it does not apply.
    await first.getByText("Rule glibc-malloc").click();
    await first.locator(".rule pre", { hasText: "## When it is not reported" }).waitFor();

    // The command that proves it, copied and run as it is.
    await first.getByLabel("How is the program run?").fill(`${storm} 60`);
    await first.locator(".next").first().getByRole("button", { name: "Copy" }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(
      command,
      `whyhot try --to ${fleet.url} --finding ${id} --preload mimalloc,jemalloc,tcmalloc -- ${storm} 60`,
    );
    // One variant proves it as well as three, in a third of the time.
    const one = command.replace("mimalloc,jemalloc,tcmalloc", "mimalloc");
    assert.match(await run(one), new RegExp(`there finding ${id} is proved`));

    // The page says so by itself.
    await page.locator(".findings .card.proved").waitFor();
    const proved = page.locator(".findings .card.proved").first();
    assert.match(await proved.locator(".badge").innerText(), /proved/);
    await proved.locator(".trials").getByRole("rowheader", { name: "mimalloc" }).waitFor();
    await proved.locator(".trials svg.faster").first().waitFor();

    // A link shows a colleague the same.
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator(".findings .card.proved .trials svg.faster").first().waitFor();
  });
});

test("a finding leads to its function, and its function to its lines", async () => {
  await open("/findings?service=archive", async (page) => {
    await page.getByRole("button", { name: /Table-driven CRC/ }).click();
    await page.getByRole("button", { name: "Show in Top" }).click();
    const row = page.getByRole("row").filter({ hasText: "crc32_update" });
    await row.getByRole("link").click();
    await page.keyboard.press("l");
    // With the source that the server has.
    await page.locator(".lines .source .ran", { hasText: "crc" }).first().waitFor();
    await page.locator(".lines .found-here", { hasText: "Table-driven CRC" }).waitFor();
  });
});

test("two versions: what differs is marked by its shape, and leads on", async () => {
  await open(
    "/compare?compare.by=version&service=formulas&service=formulas-canary",
    async (page) => {
      const gone = page.getByRole("row").filter({ hasText: "_int_malloc" });
      await gone.getByRole("img", { name: "less, beyond sampling error" }).waitFor();
      // Of after; a sample below it, in the loader's own few calls, makes it a zero.
      assert.match(await gone.innerText(), /\s(none|0\.0%)\s/);
      await page.getByLabel("only what is beyond sampling error").check();
      await page.waitForURL(/compare\.sure=true/);
      await gone.dblclick();
      await page.waitForURL(/sandwich.*fn=\d+/);
      await page.goBack();
      await gone.waitFor();
    },
  );
});

test("more of the call graph is drawn on demand, and the address keeps it", async () => {
  const top = await fleet.ask<{ functions: { id: number; name: string }[] }>(
    "functions?q=_int_malloc",
  );
  const fn = top.functions.find((f) => f.name === "_int_malloc")?.id ?? 0;
  await open(`/callgraph?fn=${fn}`, async (page) => {
    const boxes = page.locator(".callgraph .box");
    await boxes.first().waitFor();
    const before = await boxes.count();
    await page.getByRole("button", { name: "Callers of malloc", exact: true }).click();
    await page.waitForURL(/callgraph\.open=/);
    await page.waitForFunction(
      (n) => document.querySelectorAll(".callgraph .box").length > n,
      before,
    );
    const many = await boxes.count();
    await page.reload();
    await page.waitForFunction(
      (n) => document.querySelectorAll(".callgraph .box").length === n,
      many,
    );
    // By keyboard: up to the caller, and there.
    await page.locator(".callgraph .box.middle > a").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      (f) => new URLSearchParams(location.search).get("fn") !== String(f),
      fn,
    );
  });
});

test("a drag over the chart chooses a time for every view, and Back undoes it", async () => {
  await open("/", async (page) => {
    const chart = page.locator(".u-over");
    const box = await chart.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 20, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/from=.*to=/);
    const chosen = new URL(page.url()).searchParams;
    const length = Date.parse(chosen.get("to") ?? "") - Date.parse(chosen.get("from") ?? "");
    assert.ok(Math.abs(length / 60_000 - 30) <= 2, `${length / 60_000} minutes of half an hour`);
    await view(page, "Top").click();
    assert.equal(new URL(page.url()).searchParams.get("from"), chosen.get("from"));
    await page.goBack();
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("from"));
  });
});

test("a right click on a function has the same menu wherever one is shown", async () => {
  const { functions } = await fleet.ask<{ functions: { id: number; name: string }[] }>(
    "functions?q=_int_malloc",
  );
  const fn = functions[0].id;
  const shown: [string, string][] = [
    ["/top", '[role="row"]:has-text("_int_malloc")'],
    [`/callgraph?fn=${fn}`, ".callgraph .box.middle > a"],
    [`/callgraph?fn=${fn}`, '.neighbours tr:has-text("tcache_put")'],
    [`/lines?fn=${fn}`, ".lines h2"],
    [`/sandwich?fn=${fn}`, ".sandwich .function"],
    [
      "/compare?compare.by=version&service=formulas&service=formulas-canary",
      '[role="row"]:has-text("_int_malloc")',
    ],
  ];
  await open("/", async (page) => {
    for (const [at, place] of shown) {
      await page.goto(`${fleet.url}${at}`);
      // An answer that arrives between the aim and the click moves what was aimed at.
      await settled(page);
      await page.locator(place).first().click({ button: "right" });
      const menu = page.getByRole("menu");
      for (const entry of [
        /Callers and callees/,
        /Call graph/,
        /Over time/,
        /Focus/,
        /Hide/,
        /Copy name/,
      ])
        await menu.getByRole("menuitem", { name: entry }).waitFor();
      await page.keyboard.press("Escape");
      await menu.waitFor({ state: "detached" });
    }
  });
});

test("what a comparison is about is seen on a telephone", async () => {
  await withTab({ width: 360, height: 740 }, async (page) => {
    await page.goto(
      `${fleet.url}/compare?compare.by=version&service=formulas&service=formulas-canary`,
    );
    const name = page.getByRole("gridcell", { name: "_int_malloc", exact: true });
    const box = await name.boundingBox();
    assert.ok(box && box.x + 80 < 360, `it begins at ${box?.x ?? 0}`);
  });
});

test("machine code: what is hot is marked, the loop is bracketed, and a link shows it", async () => {
  const { functions } = await fleet.until<{ functions: { id: number; name: string }[] }>(
    "functions?q=crc32_update",
    (f) => f.functions.length > 0,
  );
  await open(`/lines?fn=${functions[0].id}`, async (page) => {
    await page.getByRole("button", { name: "Machine code" }).click();
    const loop = page.locator(".machine .loop-head");
    await loop.getByText(/loop \d/).waitFor();
    assert.match(await loop.innerText(), /crc_bytewise\.c:\d+/);
    const hot = page.locator(".machine tr.hot").first();
    await hot.locator(".bracket").waitFor();
    assert.match(await hot.innerText(), /0x[0-9a-f]+\s+\w+/);
    assert.equal(await page.locator(".machine .bracket.first").count(), 1);
    assert.equal(await page.locator(".machine .bracket.last").count(), 1);
    await page.reload();
    await loop.waitFor();
  });
  // Where there are none, it says what to do.
  const named = await fleet.ask<{ functions: { id: number; name: string }[] }>(
    "functions?q=_int_malloc",
  );
  await open(`/lines?fn=${named.functions[0].id}&lines.code=true`, async (page) => {
    await page.getByText("No instructions: the samples came with names").waitFor();
    await page.getByText("whyhot record --no-symbols").first().waitFor();
    assert.equal(await page.getByText("0x0").count(), 0); // an address that there is not
  });
});

test("next and previous go from hit to hit, also where no graph is", async () => {
  const views = await everyView(fleet);
  const lines = views.find((v) => v.name === "lines")?.address ?? "";
  const focused = (page: Page, selector: string) =>
    page.waitForFunction((s) => document.activeElement?.matches(s) ?? false, selector);
  await open("/top?q=malloc", async (page) => {
    const current = page.locator('[role="row"].current');
    await current.waitFor();
    for (const [key, row] of [
      ["n", 3], // below the head and the first one
      ["n", 4],
      ["N", 3],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(`[role="row"].current[aria-rowindex="${row}"]`).waitFor();
    }
    await page.waitForURL(/fn=\d+/);

    await page.goto(`${fleet.url}/findings?q=formulas`);
    await page.locator(".ranked h3 button").first().waitFor();
    await page.keyboard.press("n");
    await focused(page, ".ranked h3 button");

    await page.goto(`${fleet.url}${lines}&q=return`);
    await page.locator(".lines tr.hit").first().waitFor();
    await page.getByText(/% in \d+ lines/).waitFor();
    await page.keyboard.press("n");
    await focused(page, ".lines tr.hit");
  });
});

test("the function itself is in view above the callees, also when the rest of the page came later", async () => {
  const views = await everyView(fleet);
  const at = views.find((v) => v.name === "sandwich")?.address ?? "";
  await withTab({ width: 1120, height: 640 }, async (page) => {
    await page.goto(fleet.url + at);
    await settled(page);
    await page.waitForFunction(() => {
      const half = document.querySelector(".sandwich .flame-graph .scroller");
      return half && half.scrollTop + half.clientHeight >= half.scrollHeight - 1;
    });
  });
});

test("every view in both themes, on a telephone and on a wall, with nothing that axe finds serious", async () => {
  await withTab({ width: 1280, height: 800 }, async (page) => {
    const found: string[] = [];
    const views = await everyView(fleet);
    // A finding that was seen twice has a chart.
    const { findings } = await fleet.ask<Found>("findings?service=formulas");
    await fleet.until<{ findings: { history: unknown[] }[] }>(
      `findings/${findings[0]?.finding.id ?? ""}?service=formulas`,
      (f) => (f.findings[0]?.history.length ?? 0) > 1,
    );
    for (const { name, address } of views) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(`${fleet.url}${address}`);
      await settled(page);
      const light = await serious(page);
      await page.emulateMedia({ colorScheme: "dark" });
      // What the colours have no part in is the same in both themes.
      const dark = await serious(page, ["color-contrast"]);
      found.push(...[...light, ...dark].map((one) => `${name}: ${one}`));
      for (const width of [3840, 360]) {
        await page.setViewportSize({ width, height: 740 });
        await settled(page);
        const wants = await widest(page);
        if (wants > width) found.push(`${name} has ${wants} px of ${width}`);
      }
    }
    assert.deepEqual(found, []);
  });
});
