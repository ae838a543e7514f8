// Where the focus goes when what had it is gone: a view that was left, a button that did
// its work once, one that cannot be pressed any more. The browser would drop it, and who
// works with the keyboard would begin at the top of the page again.

import { useEffect } from "preact/hooks";

const STOPS =
  "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex='0']";

// useKeptFocus gives it to the first thing that takes it in the innermost part of the page
// that is left of where it was, and to the view itself rather than to what stands above it.
export function useKeptFocus(view: string): void {
  useEffect(() => {
    let way: Element[] = []; // from what has the focus up to the page
    const focused = (e: FocusEvent): void => {
      way = [];
      for (let at = e.target as Element | null; at; at = at.parentElement) way.push(at);
    };
    // Who clicks beside everything wants nothing to have it.
    const pressed = (e: PointerEvent): void => {
      if (!way[0]?.contains(e.target as Node)) way = [];
    };
    const changed = (): void => {
      const [last] = way;
      if (last === undefined || (last.isConnected && !last.matches(":disabled, [hidden] *")))
        return;
      if (document.activeElement !== document.body && document.activeElement !== last) return;
      const rest = way.slice(1);
      way = [];
      for (const at of rest) {
        if (!at.isConnected) continue;
        const to = at.matches(`#${view}, #app, body`)
          ? document.getElementById(view)
          : [...at.querySelectorAll<HTMLElement>(STOPS)].find((e) => e.checkVisibility());
        if (!to) continue;
        to.focus({ preventScroll: true });
        return;
      }
    };
    const watch = new MutationObserver(changed);
    const options = { childList: true, subtree: true, attributeFilter: ["disabled", "hidden"] };
    watch.observe(document.body, options);
    document.addEventListener("focusin", focused);
    document.addEventListener("pointerdown", pressed, true);
    return () => {
      watch.disconnect();
      document.removeEventListener("focusin", focused);
      document.removeEventListener("pointerdown", pressed, true);
    };
  }, [view]);
}
