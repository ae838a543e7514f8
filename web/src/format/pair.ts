// Two numbers in an address: "0.25,0.75".

// Ten digits tell a single sample among a billion.
export function formatPair(a: number, b: number): string {
  return `${digits(a)},${digits(b)}`;
}

// parsePair gives null for what is no pair of numbers from 0 on.
export function parsePair(text: string | null | undefined): [number, number] | null {
  const ns = (text ?? "").split(",");
  const [a, b] = ns.map(Number);
  const fine = ns.length === 2 && ns.every((n) => n !== "") && a >= 0 && b >= 0;
  return fine && Number.isFinite(a + b) ? [a, b] : null;
}

function digits(x: number): string {
  return String(Number(x.toPrecision(10)));
}
