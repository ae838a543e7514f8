// Debian's Chromium, driven by Playwright, with nothing of the user's.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type BrowserContext } from "playwright-core";

export interface Look {
  width?: number;
  height?: number;
  dark?: boolean;
  ratio?: number;
  scripts?: boolean;
}

export async function withBrowser<T>(
  look: Look,
  use: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const profile = mkdtempSync(path.join(tmpdir(), "whyhot-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: look.width ?? 1280, height: look.height ?? 800 },
    deviceScaleFactor: look.ratio ?? 1,
    colorScheme: look.dark ? "dark" : "light",
    reducedMotion: "reduce",
    javaScriptEnabled: look.scripts ?? true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  try {
    return await use(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}
