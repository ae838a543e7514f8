// What people call the dimensions of a selection.

import type { Dimension } from "../state/address";

export const TITLES: Readonly<Record<Dimension, string>> = {
  service: "Service",
  version: "Version",
  host: "Host",
  container: "Container",
  process: "Process",
};
