// A page that was open while its server became another one asks what that may not know. The
// page looks whether the server now has another page: where something was odd, and when a
// server that was away answers again.

import { signal, type ReadonlySignal } from "@preact/signals";

const another = signal(false);

// newer says that the server has another page than this one.
export const newer: ReadonlySignal<boolean> = another;

let looking = false;

export function doubt(): void {
  if (looking || another.value) return;
  looking = true;
  void look().finally(() => {
    looking = false;
  });
}

// look fetches the page, which names this script with its version.
async function look(): Promise<void> {
  const script = document.querySelector<HTMLScriptElement>('script[src*="?v="]');
  const own = script?.getAttribute("src") ?? "";
  if (own === "") return;
  try {
    const response = await fetch("/", { headers: { Accept: "text/html" }, cache: "no-cache" });
    const text = await response.text();
    // What does not name the script at all is somebody else's page, such as a proxy's.
    const name = own.slice(0, own.indexOf("?"));
    if (response.ok && text.includes(`${name}?v=`)) another.value = !text.includes(own);
  } catch {
    // It is away again.
  }
}
