// What a finding cost over time: its share of the service's CPU within its 95 % interval,
// by uPlot, and the cores at the pointer.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { percent, percentError } from "../../../format/number";
import type { Point } from "../../parts/finding";
import { clock, day } from "../../parts/time";

const HEIGHT = 130;
const DAY = 86_400_000; // ms

export function History({
  points,
  cores,
}: {
  points: readonly Point[];
  cores: (n: number) => string;
}) {
  const host = useRef<HTMLDivElement>(null);
  const read = useRef<HTMLParagraphElement>(null);
  const key = points.map((p) => p.time).join(" ");
  useEffect(() => {
    const into = host.current;
    if (!into || points.length < 2) return;
    const say = (i: number): void => {
      if (read.current) read.current.textContent = describe(points[i], cores);
    };
    const plot = draw(into, points, say);
    say(points.length - 1);
    const sized = new ResizeObserver(() => {
      plot.setSize({ width: into.clientWidth, height: HEIGHT });
    });
    sized.observe(into);
    const themed = new MutationObserver(() => {
      plot.redraw(false);
    });
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      sized.disconnect();
      themed.disconnect();
      plot.destroy();
    };
  }, [key]);
  const last = points.at(-1);
  if (!last) return null;
  if (points.length < 2) return <p class="basis">Seen once: {describe(last, cores)}</p>;
  return (
    <figure class="history">
      <div
        ref={host}
        role="img"
        aria-label={`share of the service's CPU over ${points.length} looks, lately ${percent(last.share)}`}
      />
      <figcaption ref={read} />
    </figure>
  );
}

function describe(p: Point | undefined, cores: (n: number) => string): string {
  if (!p) return "";
  const at = day(Date.parse(p.time));
  if (p.share === 0) return `${at}: not found`;
  return `${at}: ${percent(p.share)} ${percentError(p.error)} of the service's CPU, ${cores(p.cores)}`;
}

function draw(into: HTMLElement, points: readonly Point[], say: (i: number) => void): uPlot {
  const color = (name: string) => (): string =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const long = Date.parse(points.at(-1)?.time ?? "") - Date.parse(points[0]?.time ?? "") > DAY;
  const soft = color("--accent-soft");
  const axis = {
    stroke: color("--quiet"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  };
  return new uPlot(
    {
      width: into.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: {
        x: { time: true },
        y: { range: (_, __, most) => [0, Math.min(1, most * 1.15) || 0.01] },
      },
      axes: [
        { ...axis, values: (_, ticks) => ticks.map((t) => (long ? day : clock)(1000 * t)) },
        { ...axis, size: 54, values: (_, ticks) => ticks.map((v) => percent(v)) },
      ],
      series: [
        {},
        { stroke: "transparent", points: { show: false } },
        { stroke: "transparent", points: { show: false } },
        { stroke: color("--accent"), width: 2, points: { size: 5 } },
      ],
      bands: [{ series: [1, 2], fill: soft }],
      hooks: {
        setCursor: [
          (u) => {
            if (u.cursor.idx != null) say(u.cursor.idx);
          },
        ],
      },
    },
    [
      points.map((p) => Date.parse(p.time) / 1000),
      points.map((p) => p.share + p.error),
      points.map((p) => Math.max(0, p.share - p.error)),
      points.map((p) => p.share),
    ],
    into,
  );
}
