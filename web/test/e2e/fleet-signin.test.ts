// People sign in with an identity provider: the way there and back, who is signed in, and the
// way out. The provider is a real one in all but that it lets everybody in.

import assert from "node:assert/strict";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { stop } from "./child";
import { Fleet, root } from "./fleet";
import { serious, widest, withTab } from "./tab";

const REFUSED = /status of 40[13]/;
const folded = "main;parse;malloc 300\nmain;render 100\n";

// freePort is one that nobody listens at now: the provider has to know where people go back to
// before the server listens there.
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const at = server.address();
  server.close();
  await once(server, "close");
  assert.ok(at !== null && typeof at === "object");
  return at.port;
}

class World {
  private constructor(
    readonly fleet: Fleet,
    private readonly dir: string,
    private readonly issuer: ChildProcess,
  ) {}

  static async start(groups: string): Promise<World> {
    const dir = mkdtempSync(path.join(tmpdir(), "whyhot-signin-"));
    const program = path.join(dir, "issuer");
    execFileSync("go", ["build", "-o", program, "./web/test/issuer"], { cwd: root });
    for (let left = 2; ; left--)
      try {
        return await World.at(await freePort(), program, dir, groups);
      } catch (error) {
        if (left === 0) throw error; // somebody else may have taken the port meanwhile
      }
  }

  private static async at(
    port: number,
    program: string,
    dir: string,
    groups: string,
  ): Promise<World> {
    const redirect = `http://127.0.0.1:${port}/auth/callback`;
    const issuer = spawn(program, ["-redirect", redirect, "-groups", groups]);
    const [line] = (await once(issuer.stdout, "data")) as [Buffer];
    const file = path.join(dir, "sign-in.yaml");
    const lines = [
      `issuer: ${line.toString().trim()}`,
      "client_id: whyhot",
      `redirect_url: ${redirect}`,
      "access:",
      "  - {groups: [perf], projects: [shop, web], scopes: [read]}",
      "  - {groups: [keepers], projects: [web], scopes: [read, administer]}",
    ];
    writeFileSync(file, lines.join("\n"));
    try {
      const fleet = await Fleet.start("--sign-in", file, "--listen", `127.0.0.1:${port}`, "--rules-every", "0"); // prettier-ignore
      return new World(fleet, dir, issuer);
    } catch (error) {
      await stop(issuer);
      throw error;
    }
  }

  async end(): Promise<void> {
    await this.fleet.end();
    await stop(this.issuer);
    rmSync(this.dir, { recursive: true, force: true });
  }

  // push sends with a token, as machines do.
  async push(project: string): Promise<void> {
    const args = ["token", "create", "--data", path.join(this.fleet.dir, "data")];
    const token = execFileSync(path.join(root, "bin/whyhot-server"), args.concat("--project", project, "--scope", "send,read")).toString().trim(); // prettier-ignore
    const headers = { Authorization: `Bearer ${token}` };
    const url = `${this.fleet.url}/api/v1`;
    const sent = await fetch(`${url}/push?service=front&period=10ms`, { method: "POST", body: folded, headers }); // prettier-ignore
    assert.equal(sent.status, 200, await sent.text());
    for (;;) {
      const answer = await fetch(`${url}/services`, { headers });
      assert.equal(answer.status, 200);
      const { values } = (await answer.json()) as { values: unknown[] };
      if (values.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

test("a person signs in, sees their projects, and signs out", async () => {
  const world = await World.start("perf,keepers");
  try {
    await world.push("shop");
    await world.push("web");
    for (const width of [1280, 360])
      await withTab(
        { width, height: 800 },
        async (page) => {
          await page.goto(`${world.fleet.url}/top?service=front`);
          const way = page.getByRole("link", { name: /^Sign in with 127\.0\.0\.1:/ });
          await way.waitFor();
          await page.getByPlaceholder("whyhot_…").waitFor();
          assert.deepEqual(await serious(page), []);
          assert.ok((await widest(page)) <= width);
          await way.click();
          // Back at the view that was asked for, in the first of the person's projects.
          await page.getByRole("row").filter({ hasText: "malloc" }).waitFor();
          assert.equal(page.url(), `${world.fleet.url}/top?service=front`);
          await page.getByText("Ada Lovelace").first().waitFor();
          assert.equal(await page.getByLabel("Project").inputValue(), "shop");
          assert.deepEqual(await serious(page), []);
          assert.ok((await widest(page)) <= width);
          assert.equal(await page.evaluate(() => document.cookie + JSON.stringify(localStorage)), "{}"); // prettier-ignore

          // What they may do differs from project to project.
          await page.goto(`${world.fleet.url}/settings`);
          await page.getByText("Your account may not administer this project").waitFor();
          await page.getByText("It is signed in as Ada Lovelace (ada@example.org)").waitFor();
          assert.deepEqual(await serious(page), []);
          await page.goto(`${world.fleet.url}/settings?project=web`);
          await page.getByRole("heading", { name: "New token" }).waitFor();
          // Who made a token stays in the list.
          await page.getByPlaceholder("agents of the shop").fill(`ci-${String(width)}`);
          await page.getByLabel("read: people who look").check();
          await page.getByRole("button", { name: "Create" }).click();
          await page
            .getByRole("row")
            .filter({ hasText: `ci-${String(width)}` })
            .filter({ hasText: "ada@example.org" })
            .waitFor();
          assert.deepEqual(await serious(page), []);

          await page.getByRole("button", { name: "Sign out" }).first().click();
          await way.waitFor();
          assert.equal(await page.getByText("Ada Lovelace").count(), 0);
        },
        REFUSED,
      );
  } finally {
    await world.end();
  }
});

test("who is in no rule, and who goes back too late, is told so", async () => {
  const world = await World.start("visitors");
  try {
    await withTab(
      { width: 1280, height: 800 },
      async (page) => {
        await page.goto(world.fleet.url);
        await page.getByRole("link", { name: /^Sign in with/ }).click();
        await page.getByText("You signed in as ada@example.org, but this account has no access").waitFor(); // prettier-ignore
        assert.deepEqual(await serious(page), []);
        await page.goto(`${world.fleet.url}/auth/callback?code=x&state=y`);
        await page.getByText("begun in another browser").waitFor();
        await page.getByRole("link", { name: "Open the page" }).click();
        await page.getByRole("link", { name: /^Sign in with/ }).waitFor();
      },
      /status of 40[013]/,
    );
  } finally {
    await world.end();
  }
});

test("a token that an earlier version left in the browser is replaced by a session", async () => {
  const fleet = await Fleet.start("--rules-every", "0");
  try {
    await fleet.push(folded, { service: "shop", period: "10ms" });
    const args = ["token", "create", "--data", path.join(fleet.dir, "data"), "--scope", "read"];
    const token = execFileSync(path.join(root, "bin/whyhot-server"), args).toString().trim();
    await withTab(
      { width: 1280, height: 800 },
      async (page, context) => {
        await page.goto(`${fleet.url}/top`);
        await page.getByText("Token required").waitFor();
        await page.evaluate((t) => {
          localStorage.setItem("whyhot.token", t);
        }, token);
        await page.reload();
        await page.getByRole("row").filter({ hasText: "malloc" }).waitFor();
        assert.equal(await page.evaluate(() => localStorage.length), 0);
        const [cookie] = await context.cookies();
        assert.ok(cookie.httpOnly && cookie.sameSite === "Lax" && !cookie.value.includes(token));
      },
      REFUSED,
    );
  } finally {
    await fleet.end();
  }
});
