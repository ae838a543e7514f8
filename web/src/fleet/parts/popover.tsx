// A button with a panel below it. Esc, a click elsewhere and leaving it close it.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props {
  readonly label: ComponentChildren;
  readonly title: string; // of the panel, for who cannot see it
  readonly class?: string;
  readonly children: (close: () => void) => ComponentChildren;
}

const MARGIN = 8; // pixels to the window's edge

export function Popover(props: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const close = (refocus = true): void => {
    setOpen(false);
    if (refocus) button.current?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    const p = panel.current;
    if (!open || !p) return;
    p.style.left = "0";
    const box = p.getBoundingClientRect();
    const over = box.right - (document.documentElement.clientWidth - MARGIN);
    if (over > 0) p.style.left = `${-Math.min(over, box.left - MARGIN)}px`;
    (p.querySelector<HTMLElement>("input, select, button, a") ?? p).focus({ preventScroll: true });
  }, [open]);
  useEffect(() => {
    if (!open) return;
    const outside = (e: Event): void => {
      if (!(e.target instanceof Node && root.current?.contains(e.target))) setOpen(false);
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("focusin", outside, true);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("focusin", outside, true);
    };
  }, [open]);
  return (
    <div
      ref={root}
      class={`popover ${props.class ?? ""}`}
      onKeyDown={(e) => {
        if (!open) return;
        // No key is one of the page's while the panel is open, also before what it asks for
        // is there and has the focus.
        e.stopPropagation();
        if (e.key !== "Escape") return;
        e.preventDefault();
        close();
      }}
    >
      <button
        ref={button}
        type="button"
        aria-expanded={open}
        aria-haspopup="dialog"
        onClick={() => {
          setOpen(!open);
        }}
      >
        {props.label}
      </button>
      {open && (
        <div ref={panel} class="panel" role="dialog" tabIndex={-1} aria-label={props.title}>
          {props.children(close)}
        </div>
      )}
    </div>
  );
}
