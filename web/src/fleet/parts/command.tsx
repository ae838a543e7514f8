// A command to copy.

import { useId, useState } from "preact/hooks";

const SAID = 1500; // ms that "Copied" stays

export function Command({ text }: { text: string }) {
  const id = useId();
  return (
    <div class="command-line">
      <code id={id}>{text}</code>
      <Copy text={text} of={id} />
    </div>
  );
}

interface CopyProps {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly of?: string; // the id of what is copied, where several can be
}

export function Copy({ text, label, of }: CopyProps) {
  const [said, setSaid] = useState("");
  return (
    <button
      type="button"
      aria-describedby={of}
      onClick={() => {
        void copy(typeof text === "string" ? text : text()).then((done) => {
          setSaid(done ? "Copied" : "Copying failed");
          setTimeout(() => {
            setSaid("");
          }, SAID);
        });
      }}
    >
      <span aria-live="polite">{said === "" ? (label ?? "Copy") : said}</span>
    </button>
  );
}

// Away from this machine, a page without TLS may not use the clipboard's own interface.
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "offscreen";
    document.body.append(area);
    area.select();
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
