// The frame of every view: navigation above, the view below.

import { REGISTRY } from "../views/registry";
import { address, go, linkTo } from "../state/navigation";
import { MenuHost } from "../parts/menu";

export function App() {
  const { view, fn } = address.value;
  const shown = REGISTRY.find((v) => v.name === view) ?? REGISTRY[0];
  return (
    <>
      <nav class="views" aria-label="Views">
        {REGISTRY.filter((v) => v.about === undefined || fn !== 0).map((v) => (
          <a
            key={v.name}
            href={linkTo({ view: v.name })}
            aria-current={v === shown ? "page" : undefined}
            onClick={(e) => {
              if (e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return;
              e.preventDefault();
              go({ view: v.name });
            }}
          >
            {v.title}
          </a>
        ))}
      </nav>
      <main id="view">{shown && <shown.component />}</main>
      <MenuHost />
    </>
  );
}
