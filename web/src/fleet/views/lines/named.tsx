// Samples that somebody named before they were sent: what is missing, and how it gets here.

import { percent } from "../../../format/number";
import { Command } from "../../parts/command";
import { Empty } from "../../parts/failure";
import { shareOf, type Basis } from "../../parts/measure";
import { agentCommand, recordCommand } from "../../parts/sending";
import { address } from "../../state/navigation";

interface Props {
  readonly weight: number;
  readonly basis: Basis;
  readonly all: boolean; // of the function's samples: there is nothing else to show
  readonly what: "lines" | "instructions";
}

export function Named({ weight, basis, all, what }: Props) {
  const share = percent(shareOf(weight, basis));
  const without = what === "lines" ? "without lines or addresses" : "without addresses";
  if (!all)
    return (
      <p class="hint">
        {share} came with names and {without}: of them no {what} are shown.
      </p>
    );
  const { service } = address.value.filters;
  return (
    <Empty title={`No ${what}: the samples came with names and ${without}.`}>
      <p>
        They were given names before they were sent. With addresses, the server names them itself,
        and knows which {what} ran. The agent sends addresses:
      </p>
      <Command text={agentCommand()} />
      <p>So does one recording:</p>
      <Command text={recordCommand(service?.[0] ?? "program", "--no-symbols")} />
    </Empty>
  );
}
