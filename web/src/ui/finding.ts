// Where a finding is, as its card in the page says it (templates/card.tmpl).

import { basename } from "../data/measure";

export interface FindingPlace {
  readonly names: readonly string[]; // functions; none means all of the binary
  readonly binary: string;
}

export function placeOf(button: HTMLElement): FindingPlace {
  const { functions = "", binary = "" } = button.dataset;
  return { names: functions.split("\n").filter((s) => s !== ""), binary };
}

export function placeOfFinding(id: string): FindingPlace | null {
  const button = document.querySelector<HTMLElement>(`.show[data-id="${CSS.escape(id)}"]`);
  return button && placeOf(button);
}

export function nameOfPlace(place: FindingPlace): string {
  if (place.names.length > 1) return `${place.names.length} functions of the finding`;
  return place.names[0] ?? basename(place.binary);
}
