// The example of docs/contribute/view.md, repeated on a copy: the page says every file that a
// view needs.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const STEP =
  /^(?:New file `(?<file>[^`]+)`|In `(?<edited>[^`]+)`, after `(?<after>[^`]+)`):\n\n```\w+\n(?<text>.*?)^```$/gms;

test("a view is added as its page says", () => {
  const page = readFileSync(path.join(ROOT, "docs/contribute/view.md"), "utf8");
  const copy = mkdtempSync(path.join(tmpdir(), "whyhot-view-"));
  try {
    mkdirSync(path.join(copy, "web"));
    for (const name of ["src", "tsconfig.json", "package.json"])
      cpSync(path.join(ROOT, "web", name), path.join(copy, "web", name), { recursive: true });
    const palette = "internal/profile/origin/palette.json";
    cpSync(path.join(ROOT, palette), path.join(copy, palette), { recursive: true });
    symlinkSync(path.join(ROOT, "web/node_modules"), path.join(copy, "web/node_modules"));
    let steps = 0;
    for (const { groups } of page.matchAll(STEP)) {
      const { file = "", edited = "", after = "", text = "" } = groups ?? {};
      steps++;
      const at = path.join(copy, file || edited);
      if (file !== "") {
        mkdirSync(path.dirname(at), { recursive: true });
        writeFileSync(at, text);
        continue;
      }
      const was = readFileSync(at, "utf8");
      assert.equal(was.split(after).length, 2, `${edited} has "${after}" once`);
      writeFileSync(at, was.replace(`${after}\n`, `${after}\n${text}`));
    }
    assert.equal(steps, 4);
    const checked = spawnSync(
      process.execPath,
      [path.join(ROOT, "web/node_modules/typescript/bin/tsc"), "--noEmit", "-p", "."],
      { cwd: path.join(copy, "web"), encoding: "utf8" },
    );
    assert.equal(checked.status, 0, checked.stdout);
  } finally {
    rmSync(copy, { recursive: true });
  }
});
