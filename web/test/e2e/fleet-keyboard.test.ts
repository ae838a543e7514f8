// The server's page without a mouse: the whole story, and that what has the focus is seen
// to have it, keeps it, and has a name.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Fleet, minutesAgo, record, root } from "./fleet";
import { ROUNDS, storm } from "./small-fleet";
import { withTab } from "./tab";
import { settled } from "./views";

let fleet: Fleet;

before(async () => {
  fleet = await Fleet.start("--rules-every", "2s", "--rules-over", "1h");
  execFileSync("make", ["-s", "-C", path.join(root, "examples")]);
  const profile = record(fleet.dir, "formulas", storm, ROUNDS);
  for (const minutes of [50, 40, 30, 20, 10]) {
    const at = minutesAgo(minutes);
    await fleet.push(profile, { service: "formulas", version: "1.4", host: "host-1" }, at);
    await fleet.push(profile, { service: "formulas", version: "1.5", host: "host-2" }, at);
  }
  await fleet.until<{ findings: unknown[] }>("findings", (f) => f.findings.length > 0);
});

after(async () => {
  await fleet.end();
});

interface Focus {
  readonly tag: string;
  readonly role: string;
  readonly name: string;
  readonly seen: boolean;
}

// focus says what has it, how it is called, and whether that is drawn.
async function focus(page: Page): Promise<Focus> {
  return page.evaluate(() => {
    const e = document.activeElement ?? document.body;
    const ground = e.querySelector(".ground");
    const labelled = e.closest("label") ?? (e.id && document.querySelector(`label[for="${e.id}"]`));
    const name =
      e.getAttribute("aria-label") ??
      (labelled ? labelled.textContent : null) ??
      e.textContent ??
      "";
    return {
      tag: e.tagName.toLowerCase(),
      role: e.getAttribute("role") ?? "",
      name: name.trim(),
      seen:
        [e, e.parentElement, e.closest(".flame")].some((at) => {
          const style = at && getComputedStyle(at);
          const outlined = style?.outlineStyle !== "none" && style?.outlineWidth !== "0px";
          return style && (outlined || style.boxShadow !== "none");
        }) ||
        (ground !== null && getComputedStyle(ground).strokeWidth !== "1px"),
    };
  });
}

// tabTo presses Tab until something of that name has the focus, and fails where it never
// gets there, or comes by something that is not seen or has no name.
async function tabTo(page: Page, name: RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<Focus> {
  const way: string[] = [];
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press(key);
    const at = await focus(page);
    if (at.tag === "body") continue; // round the window
    assert.ok(
      at.name !== "" || at.tag === "input",
      `a ${at.tag} without a name, after ${way.at(-1)}`,
    );
    assert.ok(at.seen, `the focus is not seen on ${at.tag} "${at.name}"`);
    if (name.test(at.name)) return at;
    way.push(at.name);
  }
  return assert.fail(`no way to ${String(name)}: ${way.join(" | ")}`);
}

const keys = async (page: Page, ...list: string[]): Promise<void> => {
  for (const key of list) await page.keyboard.press(key);
};

const status = async (page: Page): Promise<string> =>
  (await page.locator(".details [role=status]").textContent()) ?? "";

test("a time is chosen in the chart, and the focus stays where it is", async () => {
  await withTab({ width: 1280, height: 800 }, async (page) => {
    await page.goto(fleet.url);
    await settled(page);
    const chart = await tabTo(page, /^Cores over time/);
    assert.equal(chart.role, "slider");
    const slider = page.getByRole("slider");
    await keys(page, "Home", "ArrowRight");
    assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /cores/);
    await keys(page, "Shift+PageUp", "Shift+ArrowRight");
    assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /Enter shows this time/);
    const selected = await page.locator(".u-select").boundingBox();
    assert.ok(selected && selected.width > 50, "what is chosen is drawn");
    await keys(page, "Enter");
    await page.waitForURL(/from=.*to=/);
    const chosen = new URL(page.url()).searchParams;
    const minutes =
      (Date.parse(chosen.get("to") ?? "") - Date.parse(chosen.get("from") ?? "")) / 60_000;
    assert.equal(minutes, 12);
    await settled(page);
    assert.match((await focus(page)).name, /^Cores over time/);
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("from"));
  });
});

test("from the overview to the command that proves a finding", async () => {
  await withTab({ width: 1280, height: 800 }, async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(fleet.url);
    await settled(page);
    assert.equal(await page.title(), "Overview · whyhot");

    // The time.
    await tabTo(page, /^Last hour$/);
    await keys(page, "Enter");
    await tabTo(page, /^Last 6 hours$/);
    await keys(page, "Enter");
    await page.waitForURL(/from=now-6h/);
    assert.equal((await focus(page)).name, "Last 6 hours");

    // One service: the values come later than the panel, and have the focus then.
    await tabTo(page, /^Host$/);
    await keys(page, "Enter");
    await page.waitForFunction(() => document.activeElement?.matches("input.narrow"));
    await tabTo(page, /^host-1/);
    await keys(page, "Space");
    await page.waitForURL(/host=host-1/);
    await tabTo(page, /^All$/);
    await keys(page, "Enter");
    await page.waitForURL((url) => !url.searchParams.has("host"));
    // The button is gone with what it undid.
    await page.waitForFunction(() => document.activeElement?.matches(".panel *"));
    await keys(page, "Escape");
    assert.equal((await focus(page)).name, "Host");

    // Top, by its key; the menu of a row by its own.
    await keys(page, "1");
    await page.waitForURL(/\/top/);
    await settled(page);
    assert.equal(await page.title(), "Top · whyhot");
    await tabTo(page, /^Functions by CPU$/);
    await keys(page, "Home", "ArrowDown", "ContextMenu");
    const menu = page.getByRole("menu");
    await menu.waitFor();
    const row = await page.locator('[role="row"].current').boundingBox();
    const box = await menu.boundingBox();
    assert.ok(row && box && Math.abs(box.y - row.y) < 2 * row.height + box.height);
    await keys(page, "Escape");
    assert.equal((await focus(page)).name, "Functions by CPU");
    await keys(page, "Control+Enter");

    // The call graph. The table that had the focus is gone: it is in the view that came.
    await page.waitForURL(/\/callgraph/);
    await page.locator(".callgraph .box.middle").waitFor();
    assert.equal((await focus(page)).tag, "main");
    await tabTo(page, /./);
    await page.locator(".callgraph .box.middle > a").focus();
    const fn = new URL(page.url()).searchParams.get("fn");
    await keys(page, "ArrowUp", "Enter");
    await page.waitForFunction((f) => new URLSearchParams(location.search).get("fn") !== f, fn);

    // The finding, its evidence, the command.
    await keys(page, "9");
    await page.waitForURL(/\/findings/);
    await settled(page);
    const heading = await tabTo(page, /glibc malloc/);
    assert.equal(heading.tag, "button");
    await keys(page, "Enter");
    await page.getByRole("heading", { name: "What to change" }).waitFor();
    await tabTo(page, /^How is the program run/);
    await page.keyboard.insertText(`${storm} 60`);
    await tabTo(page, /^Copy$/);
    const copy = page.locator(":focus");
    const of = (await copy.getAttribute("aria-describedby")) ?? "";
    assert.match((await page.locator(`[id="${of}"]`).textContent()) ?? "", /^whyhot try/);
    await keys(page, "Enter");
    await copy.getByText("Copied").waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^whyhot try --to/);

    // The function's lines, the settings.
    await tabTo(page, /^Show in Top$/, "Shift+Tab");
    await keys(page, "Enter");
    await page.waitForURL(/\/top/);
    await settled(page);
    assert.equal((await focus(page)).tag, "main");
    await tabTo(page, /^Functions by CPU$/);
    await keys(page, "Home", "l");
    await page.waitForURL(/\/lines/);
    await settled(page);
    await tabTo(page, /^Settings$/, "Shift+Tab");
    await keys(page, "Enter");
    await page.waitForURL(/\/settings/);
    await settled(page);
    assert.equal((await focus(page)).name, "Settings");
  });
});

for (const [name, address] of [
  ["flame graph", "/flame"],
  ["comparison", "/compare?compare.by=version&compare.show=flame"],
] as const) {
  test(`frames of a ${name}: moved between, zoomed, searched, with their menu`, async () => {
    await withTab({ width: 1280, height: 800 }, async (page) => {
      await page.goto(fleet.url + address);
      await page.locator(".flame-host:not([hidden]) canvas").waitFor();
      await settled(page);
      const canvas = await tabTo(page, /^Flame graph(,| of)/);
      assert.equal(canvas.role, "application");
      const said = await page.locator(":focus").getAttribute("aria-describedby");
      assert.equal(await page.locator(`#${said ?? "none"}`).count(), 1);
      const spoken = page.locator(".details [role=status]");
      const before = await spoken.elementHandle();
      await keys(page, "ArrowDown");
      const first = await status(page);
      assert.match(first, /\d%/);
      await keys(page, "ArrowDown", "ArrowDown");
      assert.notEqual(await status(page), first);
      // What is said changes within the element that was there.
      assert.ok(await spoken.evaluate((now, then) => now === then, before));
      await keys(page, "Enter");
      await page.waitForURL(/(flame|compare)\.select=/);
      await keys(page, "+", "+", "d");
      await page.waitForURL(/(flame|compare)\.range=/);
      await keys(page, "0");
      await page.waitForURL(
        (url) => ![...url.searchParams.keys()].some((k) => k.endsWith(".range")),
      );

      await keys(page, "/");
      assert.match((await focus(page)).name, /^Search/);
      await page.keyboard.type("malloc");
      await page.waitForURL(/q=malloc(&|$)/);
      const result = page.locator("#search-result");
      await result.getByText(/\d/).waitFor();
      assert.equal(await result.getAttribute("aria-live"), "polite");
      const hit = async (n: number): Promise<unknown> =>
        page.waitForFunction(
          (at) => document.querySelector(".steps")?.textContent?.includes(`${at}/`),
          n,
        );
      await settled(page);
      await keys(page, "Enter");
      await hit(1);
      await tabTo(page, /^Flame graph(,| of)/);
      await keys(page, "n");
      await hit(2);
      await keys(page, "n", "N", "N");
      await hit(1);
      assert.match(await status(page), /malloc/);

      await keys(page, "ContextMenu");
      await page.getByRole("menu").waitFor();
      assert.equal((await focus(page)).role, "menuitem");
      await keys(page, "Escape");
      assert.match((await focus(page)).name, /^Flame graph/);
      await keys(page, "ContextMenu", "Enter"); // callers and callees
      await page.waitForURL(/\/sandwich/);
      await settled(page);
      assert.equal((await focus(page)).tag, "main");
    });
  });
}
