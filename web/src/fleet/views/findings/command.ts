// The next command of a finding, made ready to be run: with the address of this server,
// and with what only the reader knows filled in.

// Blank is a part of a command that the reader knows: "<your command>".
export interface Blank {
  readonly text: string; // as it stands in the command
  readonly label: string;
}

export function blanks(command: string): readonly Blank[] {
  const found = new Set(command.match(/<[a-z][a-z ]+>/g) ?? []);
  return [...found].map((text) => ({ text, label: LABELS[text] ?? text.slice(1, -1) }));
}

const LABELS: Record<string, string> = {
  "<your command>": "How is the program run?",
  "<your build command>": "How is it built?",
  "<the command after the change>": "How is it run after the change?",
};

export interface Server {
  readonly url: string;
  readonly project: string; // "" for the token's own
  readonly token: boolean; // whether it asks for one
}

// fill gives the command for this server. A blank in quotes gets text that is safe there.
export function fill(command: string, server: Server, given: ReadonlyMap<string, string>): string {
  let out = command;
  for (const { text } of blanks(command)) {
    const value = given.get(text)?.trim() ?? "";
    if (value === "") continue;
    out = out.replaceAll(
      new RegExp(`('[^']*)${escape(text)}([^']*')`, "g"),
      (_, before: string, after: string) => before + value.replaceAll("'", `'\\''`) + after,
    );
    out = out.replaceAll(text, () => value);
  }
  const more = `${server.project === "" ? "" : ` --project ${server.project}`}${server.token ? " --token-file TOKEN_FILE" : ""}`;
  return out.replace(
    / --(to|from) URL\b/g,
    (_, which: string) => ` --${which} ${server.url}${more}`,
  );
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
