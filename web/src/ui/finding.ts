// Where a finding is, as its card in the page says it (templates/card.tmpl).

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
