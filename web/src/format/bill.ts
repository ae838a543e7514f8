// What cores cost, as people read it.

import { small } from "./number";

// costs says what is known of them: "87.60 EUR, 12 kg CO₂".
export function costs(
  money: number | undefined,
  currency: string,
  co2: number | undefined, // in kilograms
): string {
  const parts: string[] = [];
  if (money !== undefined) parts.push(`${amount(money)} ${currency}`);
  if (co2 !== undefined) parts.push(`${amount(co2)} kg CO₂`);
  return parts.join(", ");
}

// amount has three figures that count, and no more than cents; of less than a cent two figures,
// so that rows differ where all are small.
export function amount(n: number): string {
  if (n !== 0 && Math.abs(n) < 0.00001) return n < 0 ? ">-0.00001" : "<0.00001";
  if (n !== 0 && Math.abs(n) < 0.01) return small(n);
  const digits = Math.abs(n) >= 100 ? 0 : 2;
  return n.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
