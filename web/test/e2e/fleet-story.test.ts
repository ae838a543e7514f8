// The server's page on a real small fleet. The story: it is hot, top, call graph, finding,
// evidence, the command copied and run, and the finding is proved on the page. Then every
// view, in both themes: nothing on the console, nothing that a screen reader or a keyboard
// cannot reach (axe), nothing wider than the window of a telephone.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import { withBrowser } from "./browser";
import { Fleet, root } from "./fleet";
import { fill, storm } from "./small-fleet";
import { everyView, settled } from "./views";

let fleet: Fleet;

before(async () => {
  fleet = await Fleet.start(
    "--rules-every",
    "2s",
    "--rules-over",
    "1h",
    "--source",
    path.join(root, "examples"),
  );
  await fill(fleet);
});

after(async () => {
  await fleet.end();
});

async function open(
  at: string,
  use: (page: Page, context: BrowserContext) => Promise<void>,
): Promise<void> {
  await withBrowser({ width: 1280, height: 800 }, async (context) => {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (m) => {
      if (m.type() === "error") complaints.push(m.text());
    });
    page.on("pageerror", (e) => complaints.push(String(e)));
    await page.goto(`${fleet.url}${at}`);
    await use(page, context);
    assert.deepEqual(complaints, []);
  });
}

const view = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });

// run is what a reader does with a command: it goes into a shell.
async function run(command: string): Promise<string> {
  const env = { ...process.env, PATH: `${path.join(root, "bin")}:${process.env.PATH ?? ""}` };
  const shell = spawn("bash", ["-c", command], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (text: Buffer) => {
      said += text.toString();
    });
  const status = await new Promise((resolve) => shell.once("exit", resolve));
  assert.equal(status, 0, said);
  return said;
}

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
    await first.getByRole("button", { name: /allocator.*formulas/ }).click();
    assert.match(await first.locator(".badge").innerText(), /confirmed|suspected/);
    await first.getByText("malloc in libc.so.6", { exact: true }).waitFor();
    await first.getByRole("heading", { name: "What to change" }).waitFor();

    // The command that proves it, copied and run as it is.
    await first.getByLabel("How is the program run?").fill(`${storm} 60`);
    await first.locator(".next").first().getByRole("button", { name: "Copy" }).click();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(
      command,
      `whyhot try --to ${fleet.url} --finding ${id} --preload mimalloc,jemalloc,tcmalloc -- ${storm} 60`,
    );
    assert.match(await run(command), new RegExp(`there finding ${id} is proved`));

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
    await page.getByRole("button", { name: /CRC computed/ }).click();
    await page.getByRole("button", { name: "Show in Top-N" }).click();
    const row = page.getByRole("row").filter({ hasText: "crc32_update" });
    await row.getByRole("link").click();
    await page.keyboard.press("l");
    // With the source that the server has.
    await page.locator(".lines .source .ran", { hasText: "crc" }).first().waitFor();
    await page.locator(".lines .found-here", { hasText: "CRC computed" }).waitFor();
  });
});

test("two versions: what differs is marked by its shape, and leads on", async () => {
  await open(
    "/compare?compare.by=version&service=formulas&service=formulas-canary",
    async (page) => {
      const gone = page.getByRole("row").filter({ hasText: "_int_malloc" });
      await gone.getByRole("img", { name: "less, beyond sampling error" }).waitFor();
      assert.match(await gone.innerText(), /none/); // after
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

for (const dark of [false, true])
  test(`axe finds nothing serious in any view, ${dark ? "dark" : "light"}`, async () => {
    await withBrowser({ dark }, async (context) => {
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on("console", (m) => {
        if (m.type() === "error") complaints.push(`${page.url()}: ${m.text()}`);
      });
      page.on("pageerror", (e) => complaints.push(`${page.url()}: ${String(e)}`));
      for (const { name, address } of await everyView(fleet)) {
        await page.goto(`${fleet.url}${address}`);
        await settled(page);
        await page.evaluate(axe.source);
        // What the colours have no part in is the same in both themes.
        const found = await page.evaluate(
          async (rules) => {
            const { axe: run } = window as unknown as { axe: typeof axe };
            const result = await run.run(rules === null ? {} : { runOnly: rules });
            return result.violations
              .filter((v) => v.impact === "serious" || v.impact === "critical")
              .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`);
          },
          dark ? ["color-contrast"] : null,
        );
        for (const one of found) complaints.push(`${name}: ${one}`);
      }
      assert.deepEqual(complaints, []);
    });
  });

test("no view is wider than a telephone", async () => {
  await withBrowser({ width: 360, height: 740 }, async (context) => {
    const page = await context.newPage();
    const wide: string[] = [];
    for (const { name, address } of await everyView(fleet)) {
      await page.goto(`${fleet.url}${address}`);
      await settled(page);
      const width = await page.evaluate(() =>
        Math.max(
          document.documentElement.scrollWidth,
          document.getElementById("view")?.scrollWidth ?? 0,
        ),
      );
      if (width > 360) wide.push(`${name} has ${width} px`);
    }
    assert.deepEqual(wide, []);
  });
});
