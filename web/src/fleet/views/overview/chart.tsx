// CPU over time as stacked areas, by uPlot. Dragging over it chooses a range.

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { coresText } from "../../parts/measure";
import { clock, day } from "../../parts/time";
import { theme } from "../../state/theme";
import { lineColor } from "./colors";
import { at, stacked, type Lines } from "./lines";

const HEIGHT = 240;
const DAY = 86_400; // seconds
const CLICK = 4; // pixels: what moves less is none

export function Chart(props: {
  readonly shown: Lines;
  readonly label: string;
  readonly choose: (from: number, to: number) => void; // seconds
}) {
  const { shown } = props;
  const host = useRef<HTMLDivElement>(null);
  const read = useRef<HTMLElement>(null);
  const choose = useRef(props.choose);
  choose.current = props.choose;
  const look = theme.value;
  useEffect(() => {
    const into = host.current;
    if (!into || shown.times.length === 0) return;
    const say = (step: number | null | undefined): void => {
      if (read.current) read.current.textContent = describe(shown, step ?? -1);
    };
    const plot = draw(into, shown, look, say, (a, b) => {
      choose.current(a, b);
    });
    say(null);
    const sized = new ResizeObserver(() => {
      plot.setSize({ width: into.clientWidth, height: HEIGHT });
    });
    sized.observe(into);
    return () => {
      sized.disconnect();
      plot.destroy();
    };
  }, [shown, look]);
  return (
    <figure class="chart">
      <div ref={host} role="img" aria-label={props.label} style={{ height: `${HEIGHT}px` }} />
      <figcaption ref={read} class="quiet" />
    </figure>
  );
}

function describe(l: Lines, step: number): string {
  const begin = l.times[step];
  if (begin === undefined) return "Drag over the chart to choose a time.";
  const { all, first } = at(l, step);
  const parts = first.map((one) => `${one.value || "(none)"} ${coresText(one.cores[step] ?? 0)}`);
  return [`${day(begin * 1000)}: ${coresText(all)} cores`, ...parts].join(" · ");
}

function draw(
  into: HTMLElement,
  shown: Lines,
  look: "light" | "dark",
  say: (step: number | null | undefined) => void,
  choose: (from: number, to: number) => void,
): uPlot {
  const color = (name: string) => (): string =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const { times, lines, step } = shown;
  const long = (times.at(-1) ?? 0) - (times[0] ?? 0) > DAY;
  const axis = {
    stroke: color("--quiet"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  };
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const end = (times.at(-1) ?? 0) + step;
  return new uPlot(
    {
      width: into.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      scales: {
        x: { time: true, range: () => [times[0] ?? 0, end] },
        y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] },
      },
      axes: [
        {
          ...axis,
          values: (_, ticks) => ticks.map((t) => (long ? day : clock)(1000 * t)),
          space: long ? 110 : 60,
          size: 30,
        },
        { ...axis, size: 52, values: (_, ticks) => ticks.map((v) => coresText(v)) },
      ],
      series: [
        {},
        ...lines.map((l) => {
          const c = lineColor(l.color, l.others, look);
          return {
            stroke: c,
            fill: c,
            width: 0,
            points: { show: false },
            ...(stepped ? { paths: stepped } : {}),
          };
        }),
      ],
      hooks: {
        setCursor: [
          (u) => {
            say(u.cursor.left != null && u.cursor.left < 0 ? null : u.cursor.idx);
          },
        ],
        setSelect: [
          (u) => {
            const { left, width } = u.select;
            u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            if (width < CLICK) return;
            choose(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
          },
        ],
      },
    },
    // The last step once more: a step is drawn up to where the next begins.
    [[...times, end], ...stacked(lines, times.length).map((edge) => [...edge, edge.at(-1) ?? 0])],
    into,
  );
}
