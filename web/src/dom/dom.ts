// Making elements. Text goes in as text only: nothing here parses markup.

type Child = Node | string | null;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  for (const child of children) if (child !== null) e.append(child);
  return e;
}

export function button(label: string, title: string, onClick: () => void): HTMLButtonElement {
  const b = element("button", { type: "button", title }, label);
  b.addEventListener("click", onClick);
  return b;
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages opened from a file may have no clipboard: select it for the user.
    const area = element("textarea", { class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy"); // eslint-disable-line @typescript-eslint/no-deprecated -- the only way without the clipboard API
    area.remove();
    return done;
  }
}
