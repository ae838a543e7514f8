// A picture of a page, a file's or a server's: node --import tsx test/e2e/shot.ts PAGE OUT.png
// [--width N] [--height N] [--dark] [--full] [--hash STATE] [--click SELECTOR]… [--hover X,Y]
// [--keys "a b"]

import path from "node:path";
import { parseArgs } from "node:util";
import { withBrowser } from "./browser";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: "string", default: "1280" },
    height: { type: "string", default: "800" },
    dark: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    hash: { type: "string", default: "" },
    click: { type: "string", multiple: true, default: [] },
    hover: { type: "string", default: "" },
    keys: { type: "string", default: "" },
  },
});
const [page, out] = positionals;
if (page === undefined || out === undefined) throw new Error("usage: shot PAGE OUT.png");
const served = /^https?:/.test(page);
const address = served ? page : `file://${path.resolve(page)}`;

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
    await tab.goto(address + (values.hash === "" ? "" : `#${values.hash}`), {
      waitUntil: served ? "networkidle" : "load",
    });
    if (page.endsWith(".html")) await tab.waitForSelector("[data-ready], .failure");
    for (const selector of values.click) {
      await tab.locator(selector).first().click();
      await tab.waitForLoadState("networkidle");
    }
    if (values.hover !== "") {
      const [x = 0, y = 0] = values.hover.split(",").map(Number);
      await tab.mouse.move(x, y);
    }
    for (const key of values.keys.split(" ").filter((k) => k !== "")) await tab.keyboard.press(key);
    await tab.waitForTimeout(300);
    await tab.screenshot({ path: out, fullPage: values.full });
  },
);
