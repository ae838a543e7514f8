// CPU over time as stacked areas, by uPlot. Dragging over it chooses a range, and so do the
// arrow keys with shift: it is a slider for who cannot see it.

import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { coresText, ticksText } from "../cores";
import { clock, day } from "../time";
import { theme } from "../../state/theme";
import { chosen, moved, type Brush } from "./brush";
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
  const plotted = useRef<uPlot | null>(null);
  const [brush, setBrush] = useState<Brush | null>(null);
  useEffect(() => {
    setBrush(null); // it was about other steps
  }, [shown]);
  const put = (next: Brush | null): void => {
    setBrush(next);
    if (plotted.current) showBrush(plotted.current, shown, next);
    if (read.current) read.current.textContent = next ? brushed(shown, next) : HOW;
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const next = moved(brush, e.key, e.shiftKey, shown.times.length);
    if (next) put(next);
    else if (e.key === "Enter" && brush) props.choose(...rangeOf(shown, brush));
    else if (e.key === "Escape" && brush) put(null);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  useEffect(() => {
    const into = host.current;
    if (!into || shown.times.length === 0) return;
    const say = (step: number | null | undefined): void => {
      if (read.current) read.current.textContent = describe(shown, step ?? -1);
    };
    const plot = draw(into, shown, look, say, (a, b) => {
      choose.current(a, b);
    });
    plotted.current = plot;
    say(null);
    const sized = new ResizeObserver(() => {
      plot.setSize({ width: into.clientWidth, height: HEIGHT });
    });
    sized.observe(into);
    return () => {
      plotted.current = null;
      sized.disconnect();
      plot.destroy();
    };
  }, [shown, look]);
  return (
    <figure class="chart">
      <div
        ref={host}
        role="slider"
        tabIndex={0}
        aria-label={props.label}
        aria-valuemin={1}
        aria-valuemax={shown.times.length}
        aria-valuenow={(brush?.at ?? shown.times.length - 1) + 1}
        aria-valuetext={brush ? brushed(shown, brush) : HOW}
        style={{ height: `${HEIGHT}px` }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (brush) put(null);
        }}
      />
      <figcaption ref={read} class="quiet" />
    </figure>
  );
}

const HOW = "Drag over the chart, or use ← → with Shift and then Enter, to choose a time.";

// brushed says where the keys are: one step, or the time that is chosen.
function brushed(l: Lines, brush: Brush): string {
  if (brush.anchor === null) return describe(l, brush.at);
  const [from, to] = rangeOf(l, brush);
  return `${day(from * 1000)} – ${clock(to * 1000)}: Enter shows this time`;
}

// rangeOf is the time of what is chosen, in seconds.
function rangeOf(l: Lines, brush: Brush): [from: number, to: number] {
  const [first, last] = chosen(brush);
  return [l.times[first] ?? 0, (l.times[last] ?? 0) + l.step];
}

function showBrush(u: uPlot, l: Lines, brush: Brush | null): void {
  const x = (seconds: number): number => u.valToPos(seconds, "x");
  const height = u.over.clientHeight;
  if (!brush) {
    u.setCursor({ left: -10, top: -10 }, false);
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    return;
  }
  const middle = (l.times[brush.at] ?? 0) + l.step / 2;
  u.setCursor({ left: x(middle), top: height / 2 }, false);
  const [from, to] = rangeOf(l, brush);
  const width = brush.anchor === null ? 0 : x(to) - x(from);
  u.setSelect({ left: x(from), top: 0, width, height }, false);
}

function describe(l: Lines, step: number): string {
  const begin = l.times[step];
  if (begin === undefined) return HOW;
  const { all, first, rest } = at(l, step);
  const parts = first.map((one) => `${one.value || "(none)"} ${coresText(one.cores[step] ?? 0)}`);
  if (rest > all / 1000) parts.push(`all others ${coresText(rest)}`);
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
        {
          ...axis,
          size: 52,
          label: "cores",
          labelSize: 18,
          values: (_, ticks) => [...ticksText(ticks)],
        },
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
