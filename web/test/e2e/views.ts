// The addresses that show every view with something in it.

import type { Page } from "playwright-core";
import type { Fleet } from "./fleet";

export interface Shown {
  readonly name: string;
  readonly address: string;
}

interface Answers {
  functions: { id: number; name: string }[];
  findings: { service: string; finding: { id: string } }[];
}

// everyView waits until the rules have looked at a fleet, and gives its views.
export async function everyView(fleet: Pick<Fleet, "ask" | "until">): Promise<readonly Shown[]> {
  const { findings } = await fleet.until<Answers>("findings", (f) =>
    f.findings.some((k) => k.service === "formulas"),
  );
  const idOf = async (name: string): Promise<number> => {
    const { functions } = await fleet.ask<Answers>(`functions?q=${name}`);
    return functions.find((f) => f.name.endsWith(name))?.id ?? 0;
  };
  const fn = await idOf("_int_malloc");
  const source = await idOf("::simplify");
  // What came with addresses gets its names a moment later.
  const named = await fleet.until<Answers>(
    "functions?q=crc32_update",
    (a) => a.functions.length > 0,
  );
  const machine = named.functions[0]?.id ?? 0;
  const first = findings.find((k) => k.service === "formulas");
  const open = `${first?.finding.id ?? ""}@formulas`;
  return [
    { name: "overview", address: "/" },
    { name: "top", address: `/top?fn=${fn}` },
    { name: "flame", address: "/flame?service=formulas" },
    { name: "reverse", address: "/reverse?service=formulas" },
    { name: "sandwich", address: `/sandwich?fn=${fn}` },
    { name: "callgraph", address: `/callgraph?fn=${fn}` },
    { name: "lines", address: `/lines?fn=${source}` },
    { name: "machinecode", address: `/lines?fn=${machine}&lines.code=true` },
    {
      name: "compare",
      address: "/compare?compare.by=version&service=formulas&service=formulas-canary",
    },
    {
      name: "compare-flame",
      address:
        "/compare?compare.by=version&compare.show=flame&service=formulas&service=formulas-canary",
    },
    { name: "findings", address: "/findings" },
    { name: "finding", address: `/findings?findings.open=${encodeURIComponent(open)}` },
    { name: "settings", address: "/settings" },
  ];
}

// still waits until what is shown is what will stay: no view waits for an answer or shows one
// to an older question, which is dimmed, and nothing moves or fades.
export async function still(page: Page): Promise<void> {
  // The address changes before what is painted does: a view says that it waits from its next
  // frame on.
  await page.evaluate(
    () =>
      new Promise((done) => {
        requestAnimationFrame(() => requestAnimationFrame(done));
      }),
  );
  await page.waitForFunction(() => {
    const view = document.getElementById("view");
    const waits =
      view?.matches('[aria-busy="true"]') === true ||
      document.querySelector('#view [aria-busy="true"], #view .stale') !== null ||
      (view?.textContent ?? "").includes("Waiting for the answer") ||
      (document.querySelector(".filling")?.textContent ?? "").includes("…");
    return !waits && document.getAnimations().every((a) => a.playState !== "running");
  });
}

// settled waits until what a view asked for is there.
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await still(page);
}
