// A line as small as a word: how the cores of one value went.

const WIDTH = 96;
const HEIGHT = 18;

export function Spark({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(...values, 0);
  if (values.length < 2 || most === 0) return null;
  const x = (i: number): string => ((i / (values.length - 1)) * WIDTH).toFixed(1);
  const y = (v: number): string => (HEIGHT - 1 - (v / most) * (HEIGHT - 2)).toFixed(1);
  const line = values.map((v, i) => `${x(i)},${y(v)}`).join(" ");
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
      <polyline points={line} />
    </svg>
  );
}
