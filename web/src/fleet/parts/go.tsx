// A link within the page: a plain click goes there, any other is the browser's own.

import type { ComponentChildren } from "preact";
import type { Address } from "../state/address";
import { go, linkTo } from "../state/navigation";

interface Props {
  readonly to: Partial<Address>;
  readonly class?: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

export function Go({ to, children, ...rest }: Props) {
  return (
    <a {...rest} href={linkTo(to)} onClick={plainly(() => to)}>
      {children}
    </a>
  );
}

// plainly is the handler of a link that stays in the page.
export function plainly(to: () => Partial<Address>): (e: MouseEvent) => void {
  return (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return;
    e.preventDefault();
    go(to());
  };
}
