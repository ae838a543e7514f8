// What cores cost, as people read it.

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

// amount has three figures that count, and no more than cents.
export function amount(n: number): string {
  if (n > 0 && n < 0.005) return "<0.01";
  if (n < 0 && n > -0.005) return ">-0.01";
  const digits = Math.abs(n) >= 100 ? 0 : 2;
  return n.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
