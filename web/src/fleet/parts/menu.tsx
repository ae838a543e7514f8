// The menu of a right click, one for the whole page: a view opens it with what can be
// done there, the frame shows it (MenuHost).

import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Entry {
  readonly label: string;
  readonly key?: string; // that does the same without the menu
  readonly disabled?: boolean;
  readonly act: () => void;
}

interface Open {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly back: HTMLElement | null; // where the focus was
}

const shown = signal<Open | null>(null);

// openMenu shows entries at a point of the window, under the title that they are about.
export function openMenu(
  at: { readonly clientX: number; readonly clientY: number },
  title: string,
  entries: readonly Entry[],
): void {
  const back = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  shown.value = { x: at.clientX, y: at.clientY, title, entries, back };
}

// onMenu opens the menu for a contextmenu event. The browser's own is left to links in
// text that somebody has marked, and to shift with the right button.
export function onMenu(e: MouseEvent, title: string, entries: readonly Entry[]): void {
  if (e.shiftKey) return;
  e.preventDefault();
  const box = e.currentTarget instanceof Element ? e.currentTarget.getBoundingClientRect() : null;
  // The key for menus has no place of its own.
  const keyboard = e.clientX === 0 && e.clientY === 0 && box !== null;
  openMenu(keyboard ? { clientX: box.left + 8, clientY: box.bottom } : e, title, entries);
}

function close(refocus: boolean): void {
  const back = shown.peek()?.back;
  shown.value = null;
  if (refocus) back?.focus({ preventScroll: true });
}

const MARGIN = 8; // pixels to the window's edge

export function MenuHost() {
  const menu = shown.value;
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const e = root.current;
    if (!menu || !e) return;
    const box = e.getBoundingClientRect();
    const left = Math.min(menu.x, window.innerWidth - box.width - MARGIN);
    const above = menu.y + box.height > window.innerHeight - MARGIN;
    e.style.left = `${Math.max(MARGIN, left)}px`;
    e.style.top = `${Math.max(MARGIN, above ? menu.y - box.height : menu.y)}px`;
    items(e)[0]?.focus({ preventScroll: true });
    const outside = (event: Event): void => {
      if (!(event.target instanceof Node && e.contains(event.target))) close(false);
    };
    const leave = (): void => {
      close(false);
    };
    // The focus may have gone elsewhere: an answer that arrives replaces what had it.
    const escape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      close(true);
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("wheel", outside, { capture: true, passive: true });
    document.addEventListener("keydown", escape, true);
    window.addEventListener("resize", leave);
    window.addEventListener("popstate", leave);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("wheel", outside, true);
      document.removeEventListener("keydown", escape, true);
      window.removeEventListener("resize", leave);
      window.removeEventListener("popstate", leave);
    };
  }, [menu]);
  if (!menu) return null;
  return (
    <div
      ref={root}
      class="menu"
      role="menu"
      aria-label={menu.title}
      onContextMenu={(e) => {
        e.preventDefault();
      }}
      onKeyDown={(e) => {
        onKey(e, menu);
      }}
    >
      <p class="menu-title" role="presentation" title={menu.title}>
        {menu.title}
      </p>
      {menu.entries.map((one) => (
        <button
          key={one.label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          disabled={one.disabled ?? false}
          aria-keyshortcuts={one.key}
          onClick={() => {
            close(true);
            one.act();
          }}
        >
          <span>{one.label}</span>
          {one.key !== undefined && <kbd aria-hidden="true">{one.key}</kbd>}
        </button>
      ))}
    </div>
  );
}

function items(root: HTMLElement): HTMLButtonElement[] {
  return [...root.querySelectorAll<HTMLButtonElement>("button:not(:disabled)")];
}

// onKey moves as menus do; a key that an entry names acts at once.
function onKey(e: KeyboardEvent & { readonly currentTarget: HTMLElement }, menu: Open): void {
  const list = items(e.currentTarget);
  const at = list.findIndex((b) => b === document.activeElement);
  const to = (n: number): void => {
    list[(n + list.length) % list.length]?.focus({ preventScroll: true });
  };
  e.stopPropagation();
  switch (e.key) {
    case "ArrowDown":
      to(at + 1);
      break;
    case "ArrowUp":
      to(at - 1);
      break;
    case "Home":
      to(0);
      break;
    case "End":
      to(-1);
      break;
    case "Tab":
      close(true);
      break;
    default: {
      const named = menu.entries.find((one) => one.key === e.key && one.disabled !== true);
      if (!named) return;
      close(true);
      named.act();
    }
  }
  e.preventDefault();
}
