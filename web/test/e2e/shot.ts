// A picture of a page: node --import tsx test/e2e/shot.ts PAGE.html OUT.png
// [--width N] [--height N] [--dark] [--full] [--hash STATE] [--hover X,Y] [--keys "a b"]

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
    hover: { type: "string", default: "" },
    keys: { type: "string", default: "" },
  },
});
const [page, out] = positionals;
if (page === undefined || out === undefined) throw new Error("usage: shot PAGE.html OUT.png");

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
    await tab.goto(`file://${path.resolve(page)}${values.hash === "" ? "" : `#${values.hash}`}`);
    if (page.endsWith(".html")) await tab.waitForSelector("[data-ready], .failure");
    if (values.hover !== "") {
      const [x = 0, y = 0] = values.hover.split(",").map(Number);
      await tab.mouse.move(x, y);
    }
    for (const key of values.keys.split(" ").filter((k) => k !== "")) await tab.keyboard.press(key);
    await tab.waitForTimeout(250);
    await tab.screenshot({ path: out, fullPage: values.full });
  },
);
