// What of the samples is missing in answers: parts of the server's database that could not be
// reached. The header names them, such as "shard 2 of 2".

import { signal, type ReadonlySignal } from "@preact/signals";

const parts = signal("");
const lacking = new Set<string>(); // paths whose last answer lacked something

// missing names the parts, "" where answers are whole.
export const missing: ReadonlySignal<string> = parts;

// heard takes note of an answer. Not all answers rest on samples: that one lacks nothing says
// that the parts are back where the same one lacked something before.
export function heard(url: string, header: string | null): void {
  const path = url.replace(/\?.*/, "");
  if (header !== null && header !== "") {
    lacking.add(path);
    parts.value = header;
  } else if (lacking.has(path)) {
    lacking.clear();
    parts.value = "";
  }
}
