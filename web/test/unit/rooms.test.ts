// The rooms of the server's page import downwards alone: what knows less never imports
// what knows more, and no view another one.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const FLEET = fileURLToPath(new URL("../../src/fleet", import.meta.url));
// By room, which rooms of the page it may import beside itself.
const MAY: Readonly<Record<string, readonly string[]>> = {
  state: [],
  api: ["state"],
  parts: ["state", "api"],
  views: ["state", "api", "parts"],
  shell: ["state", "api", "parts", "views"],
};
// What is shared with the pages that stand alone.
const SHARED = ["data", "draw", "format", "dom", "graph"];

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((e) => {
    const at = path.join(folder, e.name);
    if (e.isDirectory()) return sources(at);
    return /\.tsx?$/.test(e.name) ? [at] : [];
  });
}

// roomOf gives the first part of the way below a folder, and for a view also which.
function roomOf(file: string): { room: string; view: string } {
  const [room = "", view = ""] = path.relative(FLEET, file).split(path.sep);
  return { room, view: room === "views" ? view : "" };
}

function imports(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((m) =>
    path.resolve(path.dirname(file), m[1]),
  );
}

function wrong(file: string, to: string): boolean {
  const from = roomOf(file);
  if (!to.startsWith(FLEET + path.sep)) {
    const src = path.dirname(FLEET);
    const [room = ""] = path.relative(src, to).split(path.sep);
    return to.startsWith(src + path.sep) && !SHARED.includes(room);
  }
  const { room, view } = roomOf(to);
  if (room !== from.room) return !(MAY[from.room] ?? []).includes(room);
  // The registry names every view; a view knows only itself.
  return from.room === "views" && from.view !== "registry.ts" && view !== from.view;
}

void test("rooms import downwards", () => {
  const files = sources(FLEET).filter((f) => roomOf(f).room in MAY);
  assert.ok(files.length > 40, "the sources were found");
  const bad = files.flatMap((f) =>
    imports(f)
      .filter((to) => wrong(f, to))
      .map((to) => `${path.relative(FLEET, f)} imports ${path.relative(FLEET, to)}`),
  );
  assert.deepEqual(bad, []);
});

void test("the check sees what it forbids", () => {
  const at = (name: string): string => path.join(FLEET, name);
  assert.ok(wrong(at("parts/table.tsx"), at("shell/app")));
  assert.ok(wrong(at("views/top/index.tsx"), at("views/flame/index")));
  assert.ok(wrong(at("state/moment.ts"), at("api/client")));
  assert.ok(wrong(at("views/top/index.tsx"), at("../ui/app")));
  assert.ok(!wrong(at("views/top/index.tsx"), at("views/top/history")));
  assert.ok(!wrong(at("views/top/index.tsx"), at("../format/number")));
});
