// Keys that mean something to the view in front: the frame listens, the view says what
// it does (useCommands in parts/commands.ts).

import { signal } from "@preact/signals";

export interface Commands {
  reset?: () => void;
  zoomIn?: () => void;
  zoomOut?: () => void;
  pan?: (columns: number, rows: number) => void;
  arrow?: (key: "up" | "down" | "left" | "right") => void;
  enter?: () => void;
  flip?: () => void;
  copy?: () => void;
}

export const commands = signal<Commands>({});
