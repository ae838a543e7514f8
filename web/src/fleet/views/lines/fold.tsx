// A part of the view under a heading that opens and closes it.

import type { ComponentChildren } from "preact";

interface Props {
  readonly title: string;
  readonly beside: string; // smaller, behind the title
  readonly open: boolean;
  readonly class?: string;
  onToggle: () => void;
  readonly children: ComponentChildren; // while it is open
}

export function Fold({ title, beside, open, onToggle, children, ...rest }: Props) {
  return (
    <section class={`file ${rest.class ?? ""}`}>
      <h3>
        <button type="button" class="link" aria-expanded={open} onClick={onToggle}>
          <span aria-hidden="true">{open ? "▾" : "▸"}</span> {title}
        </button>{" "}
        <small>{beside}</small>
      </h3>
      {open && children}
    </section>
  );
}
