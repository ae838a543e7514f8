// The heading of a view that is about one function: its short name, and below that the whole
// one where it says more.

import { shortName } from "../../format/name";
import { onFunctionMenu } from "./functionmenu";
import { nameOf, titleOf, type Func } from "./functionname";

export function FunctionHeading({ fn }: { fn: Func }) {
  const name = nameOf(fn);
  const short = shortName(name);
  return (
    <div
      class="function-heading"
      title={titleOf(fn)}
      onContextMenu={(e) => {
        onFunctionMenu(e, fn);
      }}
    >
      <h2>{short}</h2>
      {short !== name && <p class="quiet">{name}</p>}
    </div>
  );
}
