// Pictures of every view of the server's page in both themes, for docs/pictures:
//
//	node --import tsx test/e2e/pictures.ts OUT [--at URL] [--only VIEW]
//	[--width N] [--height N]
//
// Without a server's URL a small fleet is started for them.

import path from "node:path";
import { parseArgs } from "node:util";
import { withBrowser } from "./browser";
import { Fleet } from "./fleet";
import { startSmallFleet } from "./small-fleet";
import { everyView, settled } from "./views";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    at: { type: "string" },
    width: { type: "string", default: "1120" },
    height: { type: "string", default: "640" },
    only: { type: "string" }, // the name of one view
  },
});
const [out] = positionals;
if (out === undefined) throw new Error("usage: pictures OUT");

async function take(fleet: Fleet): Promise<void> {
  const all = await everyView(fleet);
  const views = all.filter((v) => values.only === undefined || v.name === values.only);
  for (const dark of [false, true])
    await withBrowser(
      { width: Number(values.width), height: Number(values.height), dark },
      async (context) => {
        const page = await context.newPage();
        for (const { name, address } of views) {
          await page.goto(`${fleet.url}${address}`);
          await settled(page);
          if (name === "machinecode")
            await page.locator(".machine").evaluate((e) => {
              e.scrollIntoView({ block: "start" });
            });
          await page.waitForTimeout(300); // a painted canvas says nothing of it
          const file = path.join(out ?? ".", `page-${name}-${dark ? "dark" : "light"}.png`);
          await page.screenshot({ path: file });
          console.log(file);
        }
      },
    );
}

if (values.at !== undefined) {
  await take(Fleet.at(values.at));
} else {
  const fleet = await startSmallFleet();
  try {
    await take(fleet);
  } finally {
    await fleet.end();
  }
}
