// What the keys do in a view (state/commands.ts lists them), for as long as it is shown.

import { useEffect } from "preact/hooks";
import { commands, type Commands } from "../state/commands";

export function useCommands(mine: Commands): void {
  useEffect(() => {
    commands.value = mine;
    return () => {
      if (commands.peek() === mine) commands.value = {};
    };
  }, [mine]);
}
