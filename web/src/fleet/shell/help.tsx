// The list of keys, as a dialog.

import { useRef } from "preact/hooks";
import { REGISTRY } from "../views/registry";
import { KEY_HELP } from "./keys";

const DIALOG = "help";

export function openHelp(): void {
  const dialog = document.getElementById(DIALOG);
  if (!(dialog instanceof HTMLDialogElement)) return;
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const views = REGISTRY.filter((v) => v.key !== undefined);
  const list = [...views.map((v) => ({ keys: v.key ?? "", what: v.title })), ...KEY_HELP];
  return (
    <dialog
      ref={dialog}
      id={DIALOG}
      class="help"
      aria-labelledby="help-title"
      onClick={(e) => {
        if (e.target === dialog.current) dialog.current?.close();
      }}
    >
      <header>
        <h2 id="help-title">Keys</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <dl>
        {list.map(({ keys, what }) => (
          <div key={keys}>
            <dt>
              {keys.split(/,? /).map((k) => (
                <kbd key={k}>{k}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
