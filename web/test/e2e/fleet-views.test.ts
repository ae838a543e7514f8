// Every view, in both themes: nothing on the console, nothing that a screen reader or a
// keyboard cannot reach (axe), nothing wider than the window of a telephone.

import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import axe from "axe-core";
import { withBrowser } from "./browser";
import { Fleet, root } from "./fleet";
import { fill } from "./small-fleet";
import { everyView, settled, type Shown } from "./views";

let fleet: Fleet;
let views: readonly Shown[];

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
  views = await everyView(fleet);
});

after(async () => {
  await fleet.end();
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
      for (const { name, address } of views) {
        await page.goto(`${fleet.url}${address}`);
        await settled(page);
        await page.evaluate(axe.source);
        const found = await page.evaluate(async () => {
          const result = await (window as unknown as { axe: typeof axe }).axe.run();
          return result.violations
            .filter((v) => v.impact === "serious" || v.impact === "critical")
            .map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`);
        });
        for (const one of found) complaints.push(`${name}: ${one}`);
      }
      assert.deepEqual(complaints, []);
    });
  });

test("no view is wider than a telephone", async () => {
  await withBrowser({ width: 360, height: 740 }, async (context) => {
    const page = await context.newPage();
    const wide: string[] = [];
    for (const { name, address } of views) {
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
