// A small fleet: the programs of examples/ recorded now, and sent as five services with
// hosts and versions over the last hour. archive is sent as agents send, with addresses
// that the server names: it has the binary. Alone it stays until it is ended:
//
//	node --import tsx test/e2e/small-fleet.ts [--listen 127.0.0.1:PORT]

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Fleet, minutesAgo, record, root } from "./fleet";

const binaries = mkdtempSync(path.join(tmpdir(), "whyhot-binaries-"));
process.once("exit", () => {
  rmSync(binaries, { recursive: true, force: true });
});

// startSmallFleet runs a server with all of it.
export async function startSmallFleet(...options: string[]): Promise<Fleet> {
  const fleet = await Fleet.start(
    "--rules-every",
    "2s",
    "--rules-over",
    "1h",
    "--source",
    path.join(root, "examples"),
    "--debug-dir",
    binaries,
    ...options,
  );
  try {
    await fill(fleet);
    return fleet;
  } catch (e) {
    await fleet.end();
    throw e;
  }
}

// keep puts a binary where --debug-dir has it.
function keep(binary: string): void {
  const notes = execFileSync("readelf", ["-n", binary]).toString();
  const id = /Build ID: ([0-9a-f]+)/.exec(notes)?.[1] ?? "";
  const dir = path.join(binaries, ".build-id", id.slice(0, 2));
  mkdirSync(dir, { recursive: true });
  copyFileSync(binary, path.join(dir, id.slice(2)));
}

const built = path.join(root, "build/examples");

export const storm = path.join(built, "alloc-storm");
// How often alloc-storm repeats its work: less than a second of it.
export const ROUNDS = "600";

// fill records and sends. formulas-canary is the same program as formulas with another
// allocator, as version 1.5: that is what a comparison has to find.
async function fill(fleet: Fleet): Promise<void> {
  execFileSync("make", ["-s", "-C", path.join(root, "examples")]);
  const take = (name: string, ...command: string[]): Buffer => record(fleet.dir, name, ...command);
  const before = take("formulas", storm, ROUNDS);
  const after = take("formulas-canary", "env", "LD_PRELOAD=libmimalloc.so.2", storm, ROUNDS);
  const crc = path.join(built, "crc-bytewise");
  keep(crc);
  const archive = take("archive", "--no-symbols", "--", crc, "300");
  const broker = take("broker", path.join(built, "threads-locks"), "40000");
  const reports = take("reports", "python3", path.join(root, "examples/py-json/py_json.py"), "2");
  const sent: Promise<void>[] = [];
  for (let minute = 58; minute > 2; minute -= 8) {
    const at = minutesAgo(minute);
    sent.push(
      fleet.push(before, { service: "formulas", version: "1.4", host: "host-1" }, at),
      fleet.push(before, { service: "formulas", version: "1.4", host: "host-2" }, at),
      fleet.push(after, { service: "formulas-canary", version: "1.5", host: "host-2" }, at),
      fleet.push(reports, { service: "reports", host: "host-2", container: "reports-7f" }, at),
    );
    if (minute % 16 === 2) {
      sent.push(fleet.push(archive, { service: "archive", host: "host-1" }, at));
      sent.push(fleet.push(broker, { service: "broker", host: "host-3" }, at));
    }
  }
  await Promise.all(sent);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const fleet = await startSmallFleet(...process.argv.slice(2));
  process.once("SIGINT", () => void fleet.end());
  process.once("SIGTERM", () => void fleet.end());
  console.log(fleet.url);
}
