// A new install, from its first screen on: what it says, that it goes on by itself, the
// settings, tokens, and work that takes long. On a server of its own, with nothing in it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { Fleet, minutesAgo, record, root, run } from "./fleet";
import { serious, widest, withTab } from "./tab";

const FOLDED = "main;parse;malloc 300\nmain;render 100\n";
const server = path.join(root, "bin/whyhot-server");

async function withFleet(use: (fleet: Fleet) => Promise<void>): Promise<void> {
  const fleet = await Fleet.start("--rules-every", "0");
  try {
    await use(fleet);
  } finally {
    await fleet.end();
  }
}

async function push(fleet: Fleet): Promise<void> {
  await fleet.push(FOLDED, { service: "shop", period: "10ms" });
  await fleet.until<{ values: unknown[] }>("services", ({ values }) => values.length > 0);
}

test("the first screen has commands that work, and goes on by itself", async () => {
  await withFleet(async (fleet) => {
    await withTab({ width: 1280, height: 800 }, async (page) => {
      await page.goto(`${fleet.url}/top`);
      await page.getByText("No profiles yet").waitFor();
      assert.deepEqual(await serious(page), []);
      const commands = await page.locator(".command-line code").allInnerTexts();
      assert.equal(commands.length, 2);
      assert.match(commands[0], /^sudo whyhot agent --to 127\.0\.0\.1:/);
      // The second, as it is but for the program.
      await run(commands[1].replace("./program", "bash -c 'for i in {1..300000}; do :; done'"), {
        cwd: fleet.dir,
      });
      await page.getByRole("grid", { name: "Functions by CPU" }).waitFor();
      await page.getByRole("row").nth(1).waitFor();
      assert.equal(await page.getByText("No profiles yet").count(), 0);
      assert.match(page.url(), /\/top$/); // where the reader was
    });
  });
});

test("prices are kept, and every view that shows cores then shows what they cost", async () => {
  await withFleet(async (fleet) => {
    await push(fleet);
    await withTab({ width: 1280, height: 800 }, async (page) => {
      await page.goto(`${fleet.url}/settings`);
      const hour = page.getByLabel("An hour of a core");
      await hour.fill("0.05");
      await page.getByLabel("Currency").fill("EUR");
      await page.getByLabel("CO₂ of it, in grams").fill("5");
      await page.getByText("One core for a year: 438 EUR, 43.80 kg CO₂").waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      await page.reload();
      await page.getByText("One core for a year: 438 EUR").waitFor();
      assert.equal(await hour.inputValue(), "0.05");
      const { functions } = await fleet.ask<{ functions: { id: number; name: string }[] }>(
        "functions?q=malloc",
      );
      const fn = functions[0].id;
      for (const view of ["overview", "top", "flame", "reverse"]) {
        await page.goto(`${fleet.url}/${view === "overview" ? "" : view}`);
        await page
          .getByText(/EUR, .* kg CO₂/)
          .first()
          .waitFor();
      }
      for (const view of ["sandwich", "callgraph", "lines"]) {
        await page.goto(`${fleet.url}/${view}?fn=${fn}`);
        await page
          .getByText(/EUR, .* kg CO₂/)
          .first()
          .waitFor();
      }
      // Tables have a column of it.
      await page.goto(fleet.url);
      await page
        .getByRole("row")
        .filter({ hasText: "shop" })
        .getByText(/EUR, .* kg CO₂/)
        .waitFor();
      // The flame graph says it of each frame.
      await page.goto(`${fleet.url}/flame`);
      await page.waitForSelector(".flame-host:not([hidden]) canvas");
      const box = await page.locator("canvas").boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + box.width / 3, box.y + 30);
      await page.locator(".tooltip", { hasText: /cores · [\d.]+ EUR, .* a year/ }).waitFor();
      await page.mouse.click(box.x + box.width / 3, box.y + 30);
      await page
        .locator(".details .fact", { hasText: /EUR, .* a year/ })
        .first()
        .waitFor();
      // No price again: nothing is shown.
      await page.goto(`${fleet.url}/settings`);
      await page.getByText("One core for a year: 438 EUR").waitFor();
      await hour.fill("");
      await page.getByLabel("CO₂ of it, in grams").fill("");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.").waitFor();
      await page.goto(`${fleet.url}/top`);
      await page.getByRole("row").nth(1).waitFor();
      assert.equal(await page.getByText("EUR").count(), 0);
    });
  });
});

function makeToken(fleet: Fleet, ...flags: string[]): string {
  return execFileSync(server, ["token", "create", "--data", path.join(fleet.dir, "data"), ...flags])
    .toString()
    .trim();
}

async function enter(page: Page, token: string): Promise<void> {
  await page.getByPlaceholder("whyhot_…").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const REFUSED = /status of 40[13]/; // the browser's own words for what the test is about

test("a token is asked for, made, used and revoked", async () => {
  await withFleet(async (fleet) => {
    await push(fleet);
    const use = async (page: Page): Promise<void> => {
      // Open until the first token: the page says how that is made.
      await page.goto(`${fleet.url}/settings`);
      await page.locator("code", { hasText: "whyhot-server token create" }).waitFor();
      const first = makeToken(fleet, "--scope", "send,read,administer", "--name", "keeper");

      await page.goto(`${fleet.url}/top`);
      await page.getByText("Token required").waitFor();
      assert.deepEqual(await serious(page), []);
      await enter(page, "whyhot_wrong");
      await page.getByRole("alert").waitFor();
      await enter(page, first);
      await page.getByRole("row").filter({ hasText: "malloc" }).waitFor();

      // One that may only read.
      await page.goto(`${fleet.url}/settings`);
      await page.getByLabel("Name").fill("people of the shop");
      await page.getByLabel(/^read:/).check();
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByText("Copy it now: it is not shown again.").waitFor();
      const made = await page.getByRole("status").locator("code").innerText();
      const row = page.getByRole("row").filter({ hasText: "people of the shop" });
      await row.getByText("valid").waitFor();
      assert.deepEqual(await serious(page), []);
      const asked = async (): Promise<number> => {
        const headers = { Authorization: `Bearer ${made}` };
        return (await fetch(`${fleet.url}/api/v1/services`, { headers })).status;
      };
      assert.equal(await asked(), 200);

      // Revoked at the second press alone.
      await row.getByRole("button", { name: "Revoke" }).click();
      assert.equal(await asked(), 200);
      await row.getByRole("button", { name: "Confirm revoke" }).click();
      await row.getByText("revoked").waitFor();
      assert.equal(await asked(), 401);

      // The page has no token that a script could read.
      assert.equal(await page.evaluate(() => document.cookie + JSON.stringify(localStorage)), "{}");

      // This browser signs out, and is asked again.
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByText("Token required").waitFor();
    };
    await withTab({ width: 1280, height: 800 }, use, REFUSED);
  });
});

test("a token that may only read sees the settings that it may see", async () => {
  await withFleet(async (fleet) => {
    await push(fleet);
    const token = makeToken(fleet, "--scope", "send,read");
    const use = async (page: Page): Promise<void> => {
      await page.goto(`${fleet.url}/settings`);
      await enter(page, token);
      await page.getByText("The token of this browser may not administer").waitFor();
      await page.getByRole("heading", { name: "Store" }).waitFor();
      await page.getByRole("heading", { name: "Alerts" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Save" }).count(), 0);
      assert.deepEqual(await serious(page), []);
    };
    await withTab({ width: 1280, height: 800 }, use, REFUSED);
  });
});

test("projects: each has its own data, and the address says which is shown", async () => {
  await withFleet(async (fleet) => {
    await push(fleet);
    const query = new URLSearchParams({ project: "web", service: "front", period: "10ms" });
    const sent = await fetch(`${fleet.url}/api/v1/push?${query.toString()}`, {
      method: "POST",
      body: "main;paint 10\n",
    });
    assert.equal(sent.status, 200, await sent.text());
    await fleet.until<{ values: unknown[] }>("services?project=web", (v) => v.values.length > 0);
    await withTab({ width: 1280, height: 800 }, async (page) => {
      await page.goto(`${fleet.url}/top`);
      await page.getByRole("row").filter({ hasText: "malloc" }).waitFor();
      await page.getByLabel("Project").selectOption("web");
      await page.getByRole("row").filter({ hasText: "paint" }).waitFor();
      assert.match(page.url(), /project=web/);
      await page.goBack();
      await page.getByRole("row").filter({ hasText: "malloc" }).waitFor();
      await page.goto(`${fleet.url}/settings?project=web`);
      await page.getByRole("heading", { name: "Settings of web" }).waitFor();
    });
  });
});

test("what takes long shows it, can be stopped, and be asked again", async () => {
  await withFleet(async (fleet) => {
    await push(fleet);
    await withTab({ width: 1280, height: 800 }, async (page) => {
      const shown: [string, string, () => Promise<void>][] = [
        ["/top", "**/api/v1/top?*", () => page.getByRole("row").nth(1).waitFor()],
        ["/flame", "**/api/v1/tree?*", () => page.locator("canvas").waitFor()],
      ];
      for (const [at, question, there] of shown) {
        // The server is quick with so little: the question is held back.
        let held = true;
        await page.route(question, async (route) => {
          while (held) await new Promise((resolve) => setTimeout(resolve, 50));
          await route.continue().catch(() => undefined); // it was given up
        });
        await page.goto(`${fleet.url}${at}`);
        await page.getByRole("button", { name: /Cancel \(Esc\)/ }).waitFor();
        await page.keyboard.press("Escape");
        await page.getByText("Cancelled.").waitFor();
        assert.equal(await page.getByRole("button", { name: /Cancel \(Esc\)/ }).count(), 0);
        held = false;
        await page.getByRole("button", { name: "Ask again" }).click();
        await there();
        await page.unroute(question);
      }
    });
  });
});

test("first screen, top and settings on a telephone and at 4k", async () => {
  await withFleet(async (fleet) => {
    for (const width of [360, 3840])
      await withTab({ width, height: 900 }, async (page) => {
        const look = async (at: string, there: string): Promise<void> => {
          await page.goto(`${fleet.url}${at}`);
          await page.getByText(there).first().waitFor();
          assert.ok((await widest(page)) <= width, `${at} at ${width}`);
          assert.deepEqual(await serious(page), [], `${at} at ${width}`);
        };
        if (width === 360) {
          await look("/", "No profiles yet");
          await push(fleet);
        }
        await look("/top", "malloc");
        await look("/settings", "Store");
      });
  });
});

test("the overview says what is surprising, and leads to it", async () => {
  await withFleet(async (fleet) => {
    await push(fleet);
    await withTab({ width: 1280, height: 800 }, async (page) => {
      await page.goto(fleet.url);
      const list = page.getByRole("region", { name: "Anomalies" });
      await list.getByText("what belongs to memory management takes 75.0% of the CPU").waitFor();
      assert.deepEqual(await serious(page), []);
      await list.getByRole("link", { name: "memory management" }).click();
      await page.getByRole("grid", { name: "Functions by CPU" }).getByText("malloc").waitFor();
      assert.equal(await page.getByRole("grid").getByText("render").count(), 0);
    });
  });
});

test("any label narrows and groups, with what can be typed next", async () => {
  await withFleet(async (fleet) => {
    for (const [pod, folded] of [
      ["web-1", "main;parse 300\n"],
      ["web-2", "main;render 100\n"],
    ] as const)
      await fleet.push(folded, { service: "shop", period: "10ms", label: `pod=${pod}` });
    await fleet.until<{ keys: { key: string; values: number }[] }>("labels", ({ keys }) =>
      keys.some((k) => k.key === "pod" && k.values === 2),
    );
    await withTab({ width: 1280, height: 800 }, async (page) => {
      await page.goto(`${fleet.url}/top`);
      await page.getByRole("row").filter({ hasText: "render" }).waitFor();
      await page.getByRole("button", { name: "Labels", exact: true }).click();
      const condition = page.getByRole("combobox", { name: "Condition on labels" });
      await condition.pressSequentially("po");
      await page.getByRole("option", { name: /^pod/ }).waitFor();
      await condition.press("ArrowDown");
      await condition.press("Enter");
      await page.getByRole("option", { name: /^web-2/ }).click();
      assert.equal(await condition.inputValue(), 'pod="web-2" ');
      await condition.fill('pod="web-2"');
      await condition.press("Enter");
      await page.getByRole("row").filter({ hasText: "parse" }).waitFor({ state: "detached" });
      await page.getByRole("row").filter({ hasText: "render" }).waitFor();
      assert.match(page.url(), /where=pod/);
      await page.getByRole("button", { name: "Clear", exact: true }).click();
      await page.getByRole("row").filter({ hasText: "parse" }).waitFor();

      await page.goto(`${fleet.url}/flame`);
      await page.getByLabel("One graph for each").selectOption("pod");
      await page.getByText("6 nodes", { exact: false }).or(page.getByText("7 nodes")).waitFor();
      assert.match(page.url(), /flame\.by=pod/);
      await page.goto(`${fleet.url}/?overview.by=pod`);
      await page.getByRole("button", { name: "web-1", exact: true }).click();
      assert.match(decodeURIComponent(page.url()), /where=pod="web-1"/);
    });
  });
});

test("a page that is opened without a time shows the newest hour that has samples", async () => {
  await withFleet(async (fleet) => {
    const busy = record(fleet.dir, "busy", "bash", "-c", "for i in {1..300000}; do :; done");
    await fleet.push(busy, { service: "shop" }, minutesAgo(26 * 60));
    await fleet.until<{ tables: { name: string; rows: number }[] }>("stats", ({ tables }) =>
      tables.some((t) => t.name === "samples" && t.rows > 0),
    );
    await withTab({ width: 1280, height: 800 }, async (page) => {
      await page.goto(`${fleet.url}/top`);
      await page.getByRole("row").filter({ hasText: "execute_command" }).first().waitFor();
      assert.match(page.url(), /from=/);
      await page.goto(`${fleet.url}/top?from=now-15m`);
      await page.getByRole("button", { name: /^Show the last hour that has samples/ }).click();
      await page.getByRole("row").filter({ hasText: "execute_command" }).first().waitFor();
    });
  });
});

// The browser says so of the comparison with a time that has no samples.
const NO_SAMPLES = /status of 404/;

test("a server that is minutes old has comparisons, and its functions have a course", async () => {
  await withFleet(async (fleet) => {
    const now = Date.now();
    for (let m = 9; m > 0; m--) {
      const at = Math.floor(now / 1000) - 60 * m;
      const name = encodeURIComponent(`shop{version=${m > 4 ? "1.0" : "1.1"}}`);
      const sent = await fetch(
        `${fleet.url}/ingest?name=${name}&format=folded&sampleRate=100&from=${at}&until=${at + 10}`,
        { method: "POST", body: m > 4 ? FOLDED : "main;parse;malloc 500\nmain;render 100\n" },
      );
      assert.equal(sent.status, 200, await sent.text());
    }
    await fleet.until<{ values: { count: number }[] }>(
      "services",
      ({ values }) => values.reduce((sum, v) => sum + v.count, 0) === 5 * 400 + 4 * 600,
    );
    await withTab(
      { width: 1280, height: 800 },
      async (page) => {
        await page.goto(`${fleet.url}/compare`);
        await page.getByText(/^There are no samples from .* to compare with/).waitFor();
        assert.deepEqual(await serious(page), []);
        await page.getByRole("button", { name: "Compare two versions" }).waitFor();
        assert.equal(await page.getByRole("button", { name: "Compare two services" }).count(), 0);
        await page.getByRole("button", { name: "Compare the two halves of what there is" }).click();
        await page.getByRole("row").filter({ hasText: "malloc" }).waitFor();
        await page.goBack();
        await page.getByRole("button", { name: "Compare two versions" }).click();
        await page.getByRole("row").filter({ hasText: "malloc" }).waitFor();

        // The menu of a function shows its course, where a time can be chosen.
        await page.goto(`${fleet.url}/top`);
        await page.getByRole("row").filter({ hasText: "parse" }).click({ button: "right" });
        await page.getByRole("menuitem", { name: "Over time" }).click();
        const dialog = page.getByRole("dialog", { name: "parse over time" });
        const chart = dialog.getByRole("slider");
        await chart.focus();
        assert.deepEqual(await serious(page), []);
        await page.keyboard.press("ArrowLeft");
        assert.match((await chart.getAttribute("aria-valuetext")) ?? "", /cores/);
        await page.keyboard.press("Escape"); // the choice goes first
        await page.keyboard.press("ArrowLeft");
        await page.keyboard.press("Enter");
        await dialog.waitFor({ state: "detached" });
        assert.match(page.url(), /from=2.*to=2/);
        await page.goBack();
        await page.getByRole("row").filter({ hasText: "parse" }).click({ button: "right" });
        await page.getByRole("menuitem", { name: "Over time" }).click();
        await dialog.getByRole("button", { name: "Close" }).click();
        await dialog.waitFor({ state: "detached" });
      },
      NO_SAMPLES,
    );
    await withTab({ width: 360, height: 640 }, async (page) => {
      await page.goto(`${fleet.url}/top`);
      await page.getByRole("row").filter({ hasText: "parse" }).click({ button: "right" });
      await page.getByRole("menuitem", { name: "Over time" }).click();
      await page.getByRole("slider").waitFor();
      assert.ok((await widest(page)) <= 360);
    });
  });
});
