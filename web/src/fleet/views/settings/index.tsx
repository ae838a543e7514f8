// What is set for the project: prices, alerts, tokens; and what the server holds.

import { address } from "../../state/navigation";
import { Alerts } from "./alerts";
import { Browser } from "./browser";
import { PriceForm } from "./prices";
import { Holding } from "./holding";
import { TokenList } from "./tokens";

export function Settings() {
  const { project } = address.value;
  return (
    <div class="settings" key={project}>
      <h1>Settings{project === "" ? "" : ` of ${project}`}</h1>
      <PriceForm />
      <Alerts />
      <TokenList />
      <Browser />
      <Holding />
    </div>
  );
}
