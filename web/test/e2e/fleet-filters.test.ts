// Every filter in every view: what is chosen narrows what the view shows, is in the address,
// is the same after a reload, and Back undoes it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { Fleet } from "./fleet";
import { withTab } from "./tab";
import { still } from "./views";

let fleet: Fleet;

// Each dimension has two values, and each value code of its own below what all of them have.
const DIMENSIONS = ["service", "version", "host", "container", "process"] as const;

before(async () => {
  fleet = await Fleet.start("--rules-every", "0");
  const sent: Promise<void>[] = [];
  for (let i = 0; i < 2 ** DIMENSIONS.length; i++) {
    const labels = Object.fromEntries(DIMENSIONS.map((d, bit) => [d, `${d}-${(i >> bit) & 1}`]));
    // No two halves of the fleet weigh the same.
    const weight = 100 + 7 * i;
    const leaves = DIMENSIONS.map((d, bit) => `main;work;of_${d}_${(i >> bit) & 1} ${weight}\n`);
    const folded = leaves.join("") + `main;work ${weight + i * i}\n`;
    sent.push(fleet.push(folded, { service: "", ...labels, period: "10ms" }));
  }
  await Promise.all(sent);
  await fleet.until<{ basis: { count: number } }>("top", (t) => t.basis.count > 0);
});

after(async () => {
  await fleet.end();
});

const VIEWS: readonly (readonly [view: string, what: string, shows: string])[] = [
  ["", "", ".overview"],
  ["top", "", ".grid"],
  ["flame", "", ".precision"],
  ["reverse", "", ".precision"],
  ["sandwich", "fn", ".sandwich .function"],
  ["callgraph", "fn", ".neighbours"],
  ["lines", "fn", ".lines"],
  ["compare", "", ".compare"],
];

// Questions that are not about samples of the selection.
const OTHERS = /\/(stats|projects|session|prices|findings|surprises|source|labels)/;

const text = async (page: Page, selector: string): Promise<string> => {
  await page.locator(selector).first().waitFor();
  await still(page);
  return (await page.locator(selector).first().innerText()).replace(/\s+/g, " ");
};

// choose is done in the filter bar, as a reader does it.
async function choose(page: Page, dimension: string, value: string): Promise<void> {
  const title = dimension[0].toUpperCase() + dimension.slice(1);
  const bar = page.getByRole("group", { name: "What the views show" });
  await bar.getByRole("button", { name: new RegExp(`^${title}`) }).click();
  await page.getByRole("checkbox", { name: new RegExp(`^${value}`) }).check();
  await page.keyboard.press("Escape");
  await page.waitForURL((url) => url.searchParams.getAll(dimension).includes(value));
}

test("each filter narrows each view, stays in its address, and Back undoes it", async () => {
  const { functions } = await fleet.ask<{ functions: { id: number; name: string }[] }>(
    "functions?q=work",
  );
  const fn = functions.find((f) => f.name === "work")?.id ?? 0;
  await withTab({ width: 1280, height: 800 }, async (page) => {
    const asked: URL[] = [];
    page.on("request", (r) => {
      const url = new URL(r.url());
      if (url.pathname.startsWith("/api/v1/") && !OTHERS.test(url.pathname)) asked.push(url);
    });
    // Fixed times: after a reload "now" is another.
    const minute = (minutes: number): string =>
      new Date(Date.now() + 60_000 * minutes).toISOString().replace(/\d\d\.\d+Z/, "00Z");
    const [from, to] = [minute(-30), minute(2)];
    for (const [n, [view, what, shows]] of VIEWS.entries()) {
      const query = new URLSearchParams({ from, to, ...(what === "fn" && { fn: String(fn) }) });
      // With twice the time: the same samples by another length.
      if (view === "compare") query.set("compare.before", `${minute(-60)}..${to}`);
      await page.goto(`${fleet.url}/${view}?${query.toString()}`);
      const all = await text(page, shows);
      for (const i of DIMENSIONS.keys()) {
        const dimension = DIMENSIONS[(n + i) % DIMENSIONS.length];
        const at = `${dimension} in ${view || "overview"}`;
        asked.length = 0;
        await choose(page, dimension, `${dimension}-1`);
        const one = await text(page, shows);
        assert.notEqual(one, all, at);
        if (i === 0) {
          // Another filter narrows what the first one left.
          const other = DIMENSIONS[(n + 1) % DIMENSIONS.length];
          await choose(page, other, `${other}-0`);
          const two = await text(page, shows);
          assert.notEqual(two, one, `${at}, then ${other}`);
          await page.reload();
          assert.equal(await text(page, shows), two, `${at}, after a reload`);
          await page.goBack();
          await page.waitForURL((url) => !url.searchParams.has(other));
        }
        assert.equal(await text(page, shows), one, at);
        // The last question of each kind: what was asked before may come late.
        const last = new Map(asked.map((url) => [url.pathname, url]));
        assert.ok(last.size > 0, at);
        for (const url of last.values())
          assert.deepEqual(url.searchParams.getAll(dimension), [`${dimension}-1`], url.href);
        await page.goBack();
        await page.waitForURL((url) => !url.searchParams.has(dimension));
        assert.equal(await text(page, shows), all, `${at}, after Back`);
      }
    }
  });
});

test("two values of a filter are any of them", async () => {
  await withTab({ width: 1280, height: 800 }, async (page) => {
    await page.goto(`${fleet.url}/top`);
    const all = await text(page, ".precision");
    await choose(page, "host", "host-0");
    const one = await text(page, ".precision");
    await choose(page, "host", "host-1");
    assert.notEqual(one, all);
    assert.equal(await text(page, ".precision"), all);
  });
});

test("what only the table narrows by, and a search, are in its address", async () => {
  await withTab({ width: 1280, height: 800 }, async (page) => {
    await page.goto(`${fleet.url}/top`);
    const rows = page.getByRole("grid").getByRole("row");
    await rows.nth(3).waitFor();
    const before = await rows.count();
    await page.keyboard.press("/");
    await page.keyboard.type("of_host");
    await page.waitForURL(/q=of_host/);
    await page.waitForFunction((n) => document.querySelectorAll('[role="row"]').length < n, before);
    const found = await text(page, ".grid");
    await page.reload();
    assert.equal(await text(page, ".grid"), found);
    for (const title of ["Whose code", "What it does"]) {
      await page.goto(`${fleet.url}/top`);
      await rows.nth(3).waitFor();
      await page.getByRole("button", { name: title }).click();
      await page.getByRole("dialog", { name: title }).getByRole("checkbox").first().check();
      await page.waitForURL(/top\.(origin|family)=/);
      const chosen = await text(page, ".grid");
      await page.reload();
      assert.equal(await text(page, ".grid"), chosen, title);
      await page.goBack();
      await page.waitForURL((url) => !/top\.(origin|family)=/.test(url.search));
    }
  });
});

test("own code: what libraries do counts for the program's functions, and Back undoes it", async () => {
  const stack = "main (app.py:3);compute_all (app.py:9)";
  const library = "pack_rows (/usr/lib/python3/json/__init__.py:299)";
  await fleet.push(`${stack};${library} 900\n${stack} 100\n`, { service: "own", period: "10ms" });
  await fleet.until<{ basis: { count: number } }>("top?service=own", (t) => t.basis.count > 0);
  await withTab({ width: 1280, height: 800 }, async (page) => {
    await page.goto(`${fleet.url}/top?service=own`);
    const row = (name: string) => page.getByRole("row").filter({ hasText: name });
    await row("pack_rows").waitFor();
    assert.match(await text(page, '[role="row"]:has-text("compute_all")'), /^10\.0%/);
    await page.getByRole("checkbox", { name: "Own code" }).check();
    await page.waitForURL(/[?&]own=true/);
    await row("pack_rows").waitFor({ state: "detached" });
    assert.match(await text(page, '[role="row"]:has-text("compute_all")'), /^100\.0%/);
    await page.goto(`${fleet.url}/flame?service=own&own=true`);
    assert.match(await text(page, ".filling"), /^3 nodes/);
    await page.goto(`${fleet.url}/flame?service=own`);
    assert.match(await text(page, ".filling"), /^4 nodes/);
    await page.getByRole("checkbox", { name: "Own code" }).check();
    await page.waitForURL(/[?&]own=true/);
    await page.goBack();
    await page.waitForURL((url) => !url.searchParams.has("own"));
    // A list of labels is not about functions.
    await page.goto(`${fleet.url}/?service=own&own=true`);
    await text(page, ".overview");
    assert.equal(await page.getByRole("checkbox", { name: "Own code" }).count(), 0);
  });
});
