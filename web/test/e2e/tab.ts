// One tab of the browser, watched: what the page complains of fails the test.

import assert from "node:assert/strict";
import { after } from "node:test";
import axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";
import { endBrowser, withContext, type Look } from "./browser";
import { still } from "./views";

after(endBrowser);

// withTab opens one. allowed are complaints of the browser that a test means to provoke,
// such as that the server answered with 401.
export async function withTab(
  look: Look,
  use: (page: Page, context: BrowserContext) => Promise<void>,
  allowed = /^$/,
): Promise<void> {
  await withContext(look, async (context) => {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("console", (m) => {
      if ((m.type() === "error" || m.type() === "warning") && !allowed.test(m.text()))
        complaints.push(`${page.url()}: ${m.text()} (${m.location().url})`);
    });
    page.on("pageerror", (e) => complaints.push(`${page.url()}: ${String(e)}`));
    await use(page, context);
    assert.deepEqual(complaints, []);
  });
}

// serious is all that axe finds, once the page stands still: of what is
// dimmed while an answer is on its way nobody can say whether it has contrast.
export async function serious(page: Page, only?: string[]): Promise<readonly string[]> {
  await still(page);
  await page.evaluate(axe.source);
  return page.evaluate(async (rules) => {
    const { axe: run } = window as unknown as { axe: typeof axe };
    const result = await run.run(rules === null ? {} : { runOnly: rules });
    return result.violations.map(
      (v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`,
    );
  }, only ?? null);
}

// widest is how wide the page wants to be.
export async function widest(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.max(
      document.documentElement.scrollWidth,
      document.getElementById("view")?.scrollWidth ?? 0,
    ),
  );
}
