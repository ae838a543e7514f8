// Numbers as people read them.

// percent writes a share as Column of internal/finding/percent does.
export function percent(share: number): string {
  const p = share * 100;
  if (p > 0 && p < 0.05) return "<0.1%";
  if (p < 0 && p > -0.05) return ">-0.1%";
  return `${p.toFixed(1)}%`;
}

export function percentError(error: number): string {
  return `± ${percent(error).slice(0, -1)}`;
}

const TIME_UNITS: Record<string, number> = {
  nanoseconds: 1e-9,
  microseconds: 1e-6,
  milliseconds: 1e-3,
  seconds: 1,
};

export function quantity(value: number, unit: string, type: string): string {
  const scale = TIME_UNITS[unit];
  if (scale !== undefined) return duration(value * scale);
  if (unit === "bytes") return bytes(value);
  const noun = unit === "count" || unit === "" ? type || "samples" : unit;
  return `${integer(value)} ${noun}`;
}

export function integer(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

// counted is a number of things: "1 sample", "12,345 samples", "2 processes".
export function counted(n: number, noun: string): string {
  const plural = noun.endsWith("s") ? `${noun}es` : `${noun}s`;
  return `${integer(n)} ${n === 1 ? noun : plural}`;
}

export function duration(seconds: number): string {
  const s = Math.abs(seconds);
  if (s === 0) return "0 s";
  if (s < 1e-6) return `${(seconds * 1e9).toFixed(0)} ns`;
  if (s < 1e-3) return `${(seconds * 1e6).toFixed(s < 1e-5 ? 1 : 0)} µs`;
  if (s < 1) return `${(seconds * 1e3).toFixed(s < 0.01 ? 1 : 0)} ms`;
  if (s < 600) return `${seconds.toFixed(s < 10 ? 2 : 1)} s`;
  if (s < 36000) return `${(seconds / 60).toFixed(1)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let v = value;
  let u = 0;
  while (Math.abs(v) >= 1024 && u < units.length - 1) {
    v /= 1024;
    u++;
  }
  return `${v.toFixed(u === 0 || v >= 100 ? 0 : 1)} ${units[u]}`;
}

// small writes a number below one with two figures that count, and no exponent: "0.00042".
export function small(n: number): string {
  const digits = 1 - Math.floor(Math.log10(Math.abs(Number(n.toPrecision(2)))));
  return n.toFixed(digits);
}
