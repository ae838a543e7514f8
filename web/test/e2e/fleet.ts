// A real server for the tests of its page, with real profiles in it.

import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { PATIENCE } from "./browser";
import { stop } from "./child";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
export const whyhot = path.join(root, "bin/whyhot");
const binary = path.join(root, "bin/whyhot-server");

const MOST_BUSY = 20; // times that a profile is sent again

export interface Labels {
  service: string;
  version?: string;
  host?: string;
  container?: string;
  process?: string;
  period?: string; // of folded stacks
  label?: string; // KEY=VALUE
}

export class Fleet {
  private constructor(
    readonly url: string,
    readonly dir: string, // for files of the test
    private readonly server: ChildProcess | undefined,
  ) {}

  // at is a server that runs already, and goes on.
  static at(url: string): Fleet {
    return new Fleet(url, "", undefined);
  }

  // start runs whyhot-server with nothing in it; options are those of its serve.
  static async start(...options: string[]): Promise<Fleet> {
    assert.ok(existsSync(binary), `there is no ${binary}: make server`);
    const dir = mkdtempSync(path.join(tmpdir(), "whyhot-fleet-"));
    const server = spawn(
      binary,
      [
        "serve",
        "--data",
        path.join(dir, "data"),
        "--listen",
        "127.0.0.1:0",
        "--listen-grpc",
        "",
      ].concat(options),
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const address = await new Promise<string>((resolve, reject) => {
      let log = "";
      server.stderr.on("data", (text: Buffer) => {
        log += text.toString();
        const at = /protocol=HTTP address=(\S+)/.exec(log);
        if (at) resolve(at[1]);
      });
      server.once("exit", () => {
        reject(new Error(`the server ended:\n${log}`));
      });
    });
    return new Fleet(`http://${address}`, dir, server);
  }

  // push sends a profile; with a time it is as if it was recorded then.
  async push(profile: Buffer | string, labels: Labels, at?: Date): Promise<void> {
    const query = new URLSearchParams({ ...labels });
    const body =
      typeof profile === "string"
        ? profile
        : new Uint8Array(at ? recordedAt(profile, at) : profile);
    const send = (): Promise<Response> =>
      fetch(`${this.url}/api/v1/push?${query.toString()}`, { method: "POST", body });
    let response = await send();
    // A server with too much to do says when to come again, as senders do.
    for (let times = 0; response.status === 503 && times < MOST_BUSY; times++) {
      const seconds = Number(response.headers.get("Retry-After") ?? 1);
      await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
      response = await send();
    }
    assert.equal(response.status, 200, await response.text());
  }

  async ask<T>(question: string): Promise<T> {
    const response = await fetch(`${this.url}/api/v1/${question}`);
    const text = await response.text();
    assert.equal(response.status, 200, `${question}: ${text}`);
    return JSON.parse(text) as T;
  }

  // until asks again until the answer is as it should be; it fails after a while.
  async until<T>(
    question: string,
    good: (answer: T) => boolean,
    seconds = PATIENCE / 1000,
  ): Promise<T> {
    const end = Date.now() + 1000 * seconds;
    for (;;) {
      const answer = await this.ask<T>(question);
      if (good(answer)) return answer;
      assert.ok(
        Date.now() < end,
        `after ${seconds} s ${question} still gives ${JSON.stringify(answer)}`,
      );
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async end(): Promise<void> {
    if (!this.server) return;
    await stop(this.server);
    rmSync(this.dir, { recursive: true, force: true });
  }
}

// run is what a reader does with a command: it goes into a shell.
export async function run(command: string, options: { cwd?: string } = {}): Promise<string> {
  const env = { ...process.env, PATH: `${path.join(root, "bin")}:${process.env.PATH ?? ""}` };
  const shell = spawn("bash", ["-c", command], {
    ...options,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.on("data", (text: Buffer) => {
      said += text.toString();
    });
  const status = await new Promise((resolve) => shell.once("exit", resolve));
  assert.equal(status, 0, said);
  return said;
}

// record runs a command under the profiler.
export function record(dir: string, name: string, ...command: string[]): Buffer {
  const out = path.join(dir, `${name}.pb.gz`);
  const own = command.indexOf("--"); // flags of record stand before it
  const flags = command.slice(0, Math.max(0, own));
  const args = ["record", "-F", "997", "-o", out, ...flags, "--", ...command.slice(own + 1)];
  execFileSync(whyhot, args, { stdio: "ignore" });
  return readFileSync(out);
}

// recordedAt gives a pprof profile another time: its fields without that of the time, and
// the new one behind them.
export function recordedAt(profile: Buffer, at: Date): Buffer {
  const TIME_NANOS = 9;
  const plain = gunzipSync(profile);
  const kept: Buffer[] = [];
  const number = (from: number): [value: number, end: number] => {
    let value = 0;
    for (let i = from, scale = 1; ; i++, scale *= 128) {
      value += (plain[i] & 0x7f) * scale;
      if (plain[i] < 0x80) return [value, i + 1];
    }
  };
  for (let at = 0, end = 0; at < plain.length; at = end) {
    const [tag, behind] = number(at);
    const [value, next] = number(behind);
    end = tag % 8 === 2 ? next + value : next; // pprof has numbers, and bytes with a length
    if (tag >> 3 !== TIME_NANOS) kept.push(plain.subarray(at, end));
  }
  const bytes = [TIME_NANOS << 3];
  for (let n = BigInt(at.getTime()) * 1_000_000n; ; n >>= 7n) {
    const low = Number(n & 0x7fn);
    if (n < 0x80n) {
      bytes.push(low);
      break;
    }
    bytes.push(low | 0x80);
  }
  return gzipSync(Buffer.concat([...kept, Buffer.from(bytes)]), { level: 1 });
}

export const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
