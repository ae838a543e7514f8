// Times as people read them, in their own zone.

const pad = (n: number): string => String(n).padStart(2, "0");

// clock is 15:04, day is 2026-11-22 15:04.
export function clock(at: number): string {
  const d = new Date(at);
  return `${pad(d.getHours())}:${pad(d.getMinutes())}`;
}

export function day(at: number): string {
  const d = new Date(at);
  return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())} ${clock(at)}`;
}

// ago is about how long before now: "3 min ago".
export function ago(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / 60_000));
  if (minutes < 1) return "now";
  if (minutes < 120) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} d ago`;
}

// LAST are the ranges up to now that one chooses by a click.
export const LAST: readonly (readonly [string, string])[] = [
  ["15m", "15 minutes"],
  ["1h", "hour"],
  ["6h", "6 hours"],
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
];

const UNITS: Readonly<Record<string, string>> = {
  s: "second",
  m: "minute",
  h: "hour",
  d: "day",
  w: "week",
};

// rangeText says a range of the address in few words: "Last hour", "Last 8 days", "2026-11-22
// 14:00 – 15:00". A time that means nothing stays as it is.
export function rangeText(from: string, to: string, instant: (text: string) => number): string {
  const last = LAST.find(([name]) => from === `now-${name}` && to === "now");
  if (last) return `Last ${last[1]}`;
  const m = /^now-(\d{1,9})([smhdw])$/.exec(from);
  if (m && to === "now") {
    const unit = UNITS[m[2] ?? ""] ?? "";
    return m[1] === "1" ? `Last ${unit}` : `Last ${m[1]} ${unit}s`;
  }
  const text = (t: string, other: number): string => {
    const at = instant(t);
    if (Number.isNaN(at)) return t;
    return new Date(at).toDateString() === new Date(other).toDateString() ? clock(at) : day(at);
  };
  return `${text(from, NaN)} – ${text(to, instant(from))}`;
}
