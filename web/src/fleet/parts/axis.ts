// A linear axis with a few round ticks.

export interface Axis {
  at: (value: number) => number; // 0 to 1
  readonly ticks: readonly number[];
}

// axis takes values in, with some air at both ends, and at most so many ticks.
export function axis(values: readonly number[], most = 5): Axis {
  const least = Math.min(...values);
  const largest = Math.max(...values);
  const air = Math.max(0.02, 0.08 * (largest - least));
  const low = least - air;
  const high = largest + air;
  let step = 10 ** Math.floor(Math.log10(high - low));
  for (const part of [0.1, 0.2, 0.25, 0.5, 1, 2])
    if ((high - low) / (step * part) <= most) {
      step *= part;
      break;
    }
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++)
    ticks.push(Number((i * step).toFixed(10)));
  return { at: (v) => (v - low) / (high - low), ticks };
}
