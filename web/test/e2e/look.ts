// Pictures of the server's page: node --import tsx test/e2e/look.ts URL OUT.png
// [--width N] [--height N] [--dark] [--full] [--click SELECTOR] [--wait SELECTOR]

import { parseArgs } from "node:util";
import { withBrowser } from "./browser";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: "string", default: "1280" },
    height: { type: "string", default: "800" },
    dark: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    click: { type: "string", multiple: true, default: [] },
  },
});
const [url, out] = positionals;
if (url === undefined || out === undefined) throw new Error("usage: look URL OUT.png");

await withBrowser(
  { width: Number(values.width), height: Number(values.height), dark: values.dark },
  async (context) => {
    const tab = await context.newPage();
    tab.on("console", (m) => {
      console.log(m.text());
    });
    tab.on("pageerror", (e) => {
      console.log(e);
    });
    await tab.goto(url, { waitUntil: "networkidle" });
    for (const selector of values.click) {
      await tab.locator(selector).first().click();
      await tab.waitForLoadState("networkidle");
    }
    await tab.waitForTimeout(300);
    await tab.screenshot({ path: out, fullPage: values.full });
  },
);
