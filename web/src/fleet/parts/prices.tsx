// What cores cost, where the project says it (settings). A month is a twelfth of a year
// of 365 days, as internal/finding/price has it.

import { useAnswer } from "../api/answer";
import type { components } from "../api/schema";
import { perMonth } from "../../format/bill";
import { cores, type Basis } from "./cores";
import type { Column } from "./table";

export type Prices = components["schemas"]["Prices"];

const HOURS_A_MONTH = 730;

// usePrices gives null until they are known, and where there are none.
export function usePrices(): Prices | null {
  const { value } = useAnswer("/api/v1/prices", {});
  return value && (value.core_hour ?? value.co2_grams_per_core_hour) ? value : null;
}

// monthly says what cores cost in a month: "87.60 EUR, 12 kg CO₂".
export function monthly(cores: number, prices: Prices): string {
  const hours = cores * HOURS_A_MONTH;
  const { core_hour: money, co2_grams_per_core_hour: co2 } = prices;
  return perMonth(
    money ? hours * money : undefined,
    prices.currency ?? "",
    co2 ? (hours * co2) / 1000 : undefined,
  );
}

// billText goes behind a number of cores: " · 87.60 EUR a month"; "" without prices.
export function billText(cores: number, prices: Prices | null): string {
  return prices === null ? "" : ` · ${monthly(cores, prices)} a month`;
}

// Bill is billText for what shows an answer.
export function Bill({ weight, basis }: { weight: number; basis: Basis }) {
  return <>{billText(cores(weight, basis), usePrices())}</>;
}

// costColumn is none without prices.
export function costColumn<T>(prices: Prices | null, coresOf: (row: T) => number): Column<T>[] {
  if (prices === null) return [];
  return [
    {
      name: "cost",
      title: "A month",
      hint: "What as much CPU costs in a month",
      width: "minmax(90px, 150px)",
      class: "number",
      wide: true,
      cell: (row) => monthly(coresOf(row), prices),
    },
  ];
}
