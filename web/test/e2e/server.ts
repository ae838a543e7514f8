// A real whyhot-server for a test, with a port and a folder of its own.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

export interface Running {
  readonly url: string;
  // push sends folded stacks, each sample of 10 ms, and waits until they can be asked for.
  push: (service: string, folded: string, more?: Record<string, string>) => Promise<void>;
}

export async function withServer<T>(use: (server: Running) => Promise<T>): Promise<T> {
  const data = mkdtempSync(path.join(tmpdir(), "whyhot-fleet-"));
  const program = process.env.WHYHOT_SERVER ?? path.join(root, "bin/whyhot-server");
  const server = spawn(
    program,
    ["serve", "--data", data, "--listen", "127.0.0.1:0", "--listen-grpc", "", "--rules-every", "0"],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = new Promise((done) => server.once("exit", done));
  try {
    const url = await new Promise<string>((done, failed) => {
      server.once("error", failed);
      const log: string[] = [];
      createInterface(server.stderr).on("line", (line) => {
        log.push(line);
        const at = /protocol=HTTP address=(\S+)/.exec(line);
        if (at) done(`http://${at[1]}`);
      });
      server.once("exit", () => {
        failed(new Error(`the server ended:\n${log.join("\n")}`));
      });
    });
    return await use({ url, push: async (...what) => push(url, ...what) });
  } finally {
    server.kill("SIGTERM");
    await ended;
    rmSync(data, { recursive: true, force: true });
  }
}

async function push(
  url: string,
  service: string,
  folded: string,
  more: Record<string, string> = {},
): Promise<void> {
  const parameters = new URLSearchParams({ service, period: "10ms", ...more });
  const answer = await fetch(`${url}/api/v1/push?${parameters}`, { method: "POST", body: folded });
  if (!answer.ok) throw new Error(await answer.text());
  for (let i = 0; i < 200; i++) {
    const services = (await (await fetch(`${url}/api/v1/services`)).json()) as {
      values: { value: string }[];
    };
    if (services.values.some((v) => v.value === service)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`${service} did not arrive`);
}
