import type { ChildProcess } from "node:child_process";

// What waits for a process that never ends would keep the whole run waiting.
const LONGEST = 60_000;

// stop ends a process that may have ended before; one that does not heed SIGTERM is
// killed, and is an error.
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), LONGEST);
  await gone;
  clearTimeout(late);
  if (child.signalCode === "SIGKILL")
    throw new Error(`${child.spawnfile} did not end within ${LONGEST / 1000} s of SIGTERM`);
}
