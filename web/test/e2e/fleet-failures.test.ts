// Bad conditions: a server that goes away and comes back, answers that are none, a newer
// server. What was there stays, the page says what is wrong, and goes on by itself. And good
// ones: what is there does not move when the rest comes.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page, Route } from "playwright-core";
import { Fleet } from "./fleet";
import { serious, withTab } from "./tab";

let fleet: Fleet;
let fn = 0;

before(async () => {
  fleet = await Fleet.start("--rules-every", "0");
  await fleet.push("main;parse;malloc 300\nmain;render 100\n", { service: "shop", period: "10ms" });
  const { functions } = await fleet.until<{ functions: { id: number; name: string }[] }>(
    "functions?q=malloc",
    (f) => f.functions.length > 0,
  );
  fn = functions[0].id;
  const prices = await fetch(`${fleet.url}/api/v1/prices`, {
    method: "POST",
    body: '{"core_hour": 0.05, "currency": "EUR"}',
  });
  assert.equal(prices.status, 200, await prices.text());
});

after(async () => {
  await fleet.end();
});

const API = "**/api/v1/**";
const FAILED = /Failed to load resource/; // the browser's own line

interface View {
  readonly at: string;
  readonly there: string; // what of it is there once it was answered
  readonly question: string;
}

const views = (): readonly View[] => [
  { at: "/", there: ".overview .grid-row", question: "timeline" },
  { at: "/top", there: ".grid-row .function-name", question: "top" },
  { at: "/flame", there: ".flame-host:not([hidden]) canvas", question: "tree" },
  { at: `/callgraph?fn=${fn}`, there: ".callgraph .box", question: "callgraph" },
  { at: `/lines?fn=${fn}`, there: ".lines .function-heading", question: "lines" },
  { at: "/findings", there: ".findings header, .findings .state", question: "findings" },
];

const refresh = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Refresh" }).click();

const online = (page: Page): Promise<boolean> =>
  page.evaluate(() => window.dispatchEvent(new Event("online")));

test("a server that goes away and comes back is waited for, and nothing is lost", async () => {
  await withTab(
    { width: 1280, height: 800 },
    async (page) => {
      const [, top, flame, callgraph] = views();
      for (const { at, there } of [top, flame, callgraph]) {
        await page.goto(`${fleet.url}${at}`);
        await page.locator(there).first().waitFor();
        const url = page.url();
        await page.route(API, (route) => route.abort("connectionrefused"));
        await refresh(page);
        const said = page.getByRole("alert").first();
        await said.getByText("does not answer").waitFor();
        await said.getByText("Retrying automatically.").waitFor();
        assert.ok((await page.locator(there).count()) > 0, at); // the old answer
        await page.unroute(API);
        // It is asked again after a while, or at once when the browser is back in a network.
        if (at !== top.at) await online(page);
        await page.locator(there).first().waitFor();
        await page.waitForFunction(() => document.querySelector('[role="alert"]') === null);
        assert.equal(page.url(), url);
      }
    },
    FAILED,
  );
});

type Fault = (route: Route) => Promise<void>;

const FAULTS: readonly (readonly [says: RegExp, fault: Fault])[] = [
  [
    /cannot be read/,
    (r) => r.fulfill({ status: 200, contentType: "application/json", body: '{"basis": {"cou' }),
  ],
  [
    /cannot be read/,
    (r) => r.fulfill({ status: 200, contentType: "text/html", body: "<p>in</p>" }),
  ],
  [/status 403/, (r) => r.fulfill({ status: 403, contentType: "text/html", body: "<p>no</p>" })],
  [/The server failed \(status 500\)/, (r) => r.fulfill({ status: 500, body: "" })],
];

test("an answer that is none is told in words, in every view, and can be asked for again", async () => {
  await withTab(
    { width: 1280, height: 800 },
    async (page) => {
      for (const [i, { at, there, question }] of views().entries()) {
        const [says, fault] = FAULTS[i % FAULTS.length];
        const path = new RegExp(`/api/v1/${question}\\?|/api/v1/${question}$`);
        await page.route(path, fault);
        await page.goto(`${fleet.url}${at}`);
        const said = page.getByRole("alert").first();
        await said.getByText(says).waitFor();
        if (i === 0) assert.deepEqual(await serious(page), []);
        await page.unroute(path);
        await said.getByRole("button", { name: "Try again" }).click();
        await page.locator(there).first().waitFor();
      }
    },
    FAILED,
  );
});

test("a page that is older than its server says so", async () => {
  await withTab(
    { width: 1280, height: 800 },
    async (page) => {
      await page.goto(`${fleet.url}/top`);
      await page.getByRole("row").nth(1).waitFor();
      await page.route(API, (route) => route.abort("connectionrefused"));
      await refresh(page);
      await page.getByRole("alert").first().waitFor();
      const text = await (await fetch(fleet.url, { headers: { Accept: "text/html" } })).text();
      const newer = text.replace(/fleet\.js\?v=\w+/, "fleet.js?v=0");
      assert.notEqual(newer, text);
      await page.route(`${fleet.url}/`, (r) =>
        r.fulfill({ contentType: "text/html", body: newer }),
      );
      await page.unroute(API);
      await online(page);
      await page.getByText("The server was updated").waitFor();
      assert.deepEqual(await serious(page), []);
      await page.getByRole("button", { name: "Reload" }).click();
      await page.getByRole("row").nth(1).waitFor();
      await page.getByText("The server was updated").waitFor({ state: "detached" });
    },
    FAILED,
  );
});

test("what an address names and is not there has ways on", async () => {
  await withTab(
    { width: 1280, height: 800 },
    async (page) => {
      const shown: readonly (readonly [at: string, way: string])[] = [
        ["/top?from=yesterday", "Show the last hour"],
        ["/top?project=nosuch", "Show the default project"],
        ["/lines?fn=999999999", "Choose another function"],
        ["/compare?service=nosuch", "Clear the filters"],
      ];
      for (const [at, way] of shown) {
        await page.goto(`${fleet.url}${at}`);
        await page.getByRole("button", { name: way }).click();
        await page.waitForURL((url) => `${url.pathname}${url.search}` !== at);
      }
    },
    FAILED,
  );
});

// shifts is how much of the page moved that nobody had moved, as browsers count it.
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const all: number[] = [];
    Object.assign(window, { shifts: all });
    new PerformanceObserver((list) => {
      for (const e of list.getEntries()) all.push((e as unknown as { value: number }).value);
    }).observe({ type: "layout-shift", buffered: true });
  });
}

const shifted = (page: Page): Promise<number> =>
  page.evaluate(() =>
    (window as unknown as { shifts: number[] }).shifts.reduce((sum, n) => sum + n, 0),
  );

const MOST = 0.02; // 0.1 is called good

test("nothing moves when a view's answers come, one after the other", async () => {
  await withTab({ width: 1280, height: 800 }, async (page) => {
    await watchShifts(page);
    const [overview, top, , callgraph, , findings] = views();
    for (const { at, there } of [overview, top, callgraph, findings]) {
      // The prices last, which stand beside every number of cores.
      let ask = (): void => undefined;
      const asked = new Promise<void>((resolve) => (ask = resolve));
      await page.route("**/api/v1/prices", async (route) => {
        await asked;
        await route.continue();
      });
      await page.goto(`${fleet.url}${at}`);
      await page.getByRole("button", { name: /Cancel \(Esc\)/ }).waitFor();
      ask();
      await page.locator(there).first().waitFor();
      await page.waitForLoadState("networkidle");
      assert.ok((await shifted(page)) <= MOST, `${at}: ${await shifted(page)}`);
      await page.unroute("**/api/v1/prices");
    }
  });
});

test("the view in front is in sight on a telephone", async () => {
  await withTab({ width: 360, height: 740 }, async (page) => {
    for (const at of ["/", `/callgraph?fn=${fn}`, "/settings"]) {
      await page.goto(`${fleet.url}${at}`);
      const link = page.locator('.views [aria-current="page"]');
      await link.waitFor();
      const box = await link.boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= 360, `${at}: ${JSON.stringify(box)}`);
    }
  });
});
