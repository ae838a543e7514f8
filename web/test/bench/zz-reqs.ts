// requests of each view and their times
import { withBrowser } from "../e2e/browser";
const [at] = process.argv.slice(2);
const HOUR = 3600e3; let asked = 30;
await withBrowser({ width: 1280, height: 900 }, async (context) => {
  await context.addInitScript({ content: "globalThis.__name = (f) => f" });
  const top = await (await fetch(new URL("/api/v1/top?from=now-24h&limit=1&sort=self", at))).json();
  const fn = top.rows[0].function.id;
  const page = await context.newPage();
  for (const hours of [24, 168]) for (const view of ["Overview","Top","Flame graph","Reverse","Callers & callees","Call graph","Lines","Compare"]) {
    if (hours > 24 && view === "Compare") continue;
    const url = new URL(at); const to = Date.now() - 2*HOUR - ++asked*7*60000;
    url.pathname = "settings"; url.searchParams.set("from", new Date(to-hours*HOUR).toISOString()); url.searchParams.set("to", new Date(to).toISOString()); url.searchParams.set("fn", String(fn));
    await page.goto(url.href); await page.waitForTimeout(500);
    const list: any[] = [];
    let t0 = 0;
    const on = (r: any) => { const u = new URL(r.url()); if (!u.pathname.startsWith("/api")) return; const q = r.timing(); list.push([u.pathname + " " + [...u.searchParams].filter(([k])=>k!=="from"&&k!=="to").map(([k,v])=>k+"="+v).join(" ").slice(0,90), q]); };
    page.on("requestfinished", on);
    t0 = Date.now();
    await page.locator("nav.views").getByRole("link", { name: view, exact: true }).click();
    await page.waitForTimeout(1800);
    page.off("requestfinished", on);
    console.log(`${view} ${hours} h`);
    for (const [u, q] of list) console.log(`   +${(q.startTime - t0).toFixed(0)} ms, answer after ${q.responseStart.toFixed(0)}, end ${q.responseEnd.toFixed(0)}  ${u}`);
  }
});
