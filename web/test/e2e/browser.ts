// Debian's Chromium, driven by Playwright, with nothing of the user's.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type Browser, type BrowserContext } from "playwright-core";

export interface Look {
  width?: number;
  height?: number;
  dark?: boolean;
  ratio?: number;
  scripts?: boolean;
}

// PATIENCE is how long a wait goes on for what never comes, in milliseconds: what comes ends it
// at once, however busy the machine is.
export const PATIENCE = 120_000;

const LAUNCH = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

const optionsOf = (look: Look) => ({
  viewport: { width: look.width ?? 1280, height: look.height ?? 800 },
  deviceScaleFactor: look.ratio ?? 1,
  colorScheme: look.dark ? ("dark" as const) : ("light" as const),
  reducedMotion: "reduce" as const,
  javaScriptEnabled: look.scripts ?? true,
});

// withBrowser starts one for this use alone.
export async function withBrowser<T>(
  look: Look,
  use: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const profile = mkdtempSync(path.join(tmpdir(), "whyhot-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    ...LAUNCH,
    ...optionsOf(look),
  });
  context.setDefaultTimeout(PATIENCE);
  try {
    return await use(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

let shared: Promise<Browser> | undefined;

// withContext gives one as a new browser has it, in a browser that others used before: a
// second less for each. endBrowser ends that.
export async function withContext<T>(
  look: Look,
  use: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  shared ??= chromium.launch(LAUNCH);
  const context = await (await shared).newContext(optionsOf(look));
  context.setDefaultTimeout(PATIENCE);
  try {
    return await use(context);
  } finally {
    await context.close();
  }
}

export async function endBrowser(): Promise<void> {
  await (await shared)?.close();
  shared = undefined;
}
