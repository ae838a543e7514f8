// The newest time that a project has samples of, by what its store says of itself.

import type { Answer } from "../api/client";

const HOUR = 3_600_000;

// newest is the end of the newest hour that has samples, in ms; 0 for none. Other tables have
// times too: those of receipt, for example.
export function newest(stats: Pick<Answer<"/api/v1/stats">, "tables">): number {
  const last = (name: string): number => {
    const table = stats.tables.find((t) => t.name === name && t.rows > 0);
    return table?.last === undefined ? 0 : Date.parse(table.last);
  };
  const samples = last("samples");
  const hourly = last("hourly"); // the hour's begin
  return Math.max(
    samples > 0 ? samples + 60_000 : 0,
    samples > 0 || hourly === 0 ? 0 : hourly + HOUR,
  );
}

// lastHour is the hour up to there, as the page's address has times.
export function lastHour(end: number): { readonly from: number; readonly to: number } {
  return { from: end - HOUR, to: end };
}
