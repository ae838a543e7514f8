// The call graph as a picture: boxes that are links, edges as thick as what flows
// through them.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { fitName, shortName } from "../../../format/name";
import { percent } from "../../../format/number";
import { basename } from "../../../data/measure";
import { useCommands } from "../../parts/commands";
import { functionHandlers, nameOf, titleOf } from "../../parts/functionname";
import { onFunctionMenu } from "../../parts/functionmenu";
import { cores, coresText, type Basis } from "../../parts/cores";
import { billText, usePrices } from "../../parts/prices";
import { linkTo } from "../../state/navigation";
import type { Direction, Fn, Graph, Node, Rest } from "./graph";
import { walkTo } from "./walk";
import { BOX, curve, place, type Box, type Placed } from "./layout";

interface Props {
  graph: Graph;
  basis: Basis; // what shares are of
  found: (fn: Fn) => boolean; // by the search
  open: (id: number, direction: Direction) => void;
}

const ZOOM = 1.25;
const SMALLEST = 0.3;
const LARGEST = 3;
const STEP = 90; // pixels that a key moves

export function Drawing({ graph, basis, found, open }: Props) {
  const whole = basis.value;
  const prices = usePrices();
  const told = (weight: number): string => {
    const n = cores(weight, basis);
    return `${percent(weight / whole)} · ${coresText(n)} cores${billText(n, prices)}`;
  };
  // What is drawn is laid out again only when it changed, not for a word of the search.
  const shape = JSON.stringify([graph.middle, graph.nodes.map((n) => n.id), graph.edges]);
  const placed = useMemo(() => place(graph), [shape]);
  const scroller = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  const zoom = (by: number): void => {
    setScale((s) => Math.min(LARGEST, Math.max(SMALLEST, s * by)));
  };
  const center = (): void => {
    const s = scroller.current;
    if (s) setScale(fit(placed, s));
  };
  const now = useRef({ zoom, center });
  now.current = { zoom, center };
  useLayoutEffect(center, [placed]);
  useLayoutEffect(() => {
    const s = scroller.current;
    const middle = placed.boxes.find((b) => b.id === graph.middle);
    if (!s || !middle) return;
    s.scrollLeft = middle.x * scale - s.clientWidth / 2;
    s.scrollTop = middle.y * scale - s.clientHeight / 2;
  }, [placed, scale]);
  useCommands(
    useMemo(
      () => ({
        reset: () => {
          now.current.center();
        },
        zoomIn: () => {
          now.current.zoom(ZOOM);
        },
        zoomOut: () => {
          now.current.zoom(1 / ZOOM);
        },
        pan: (columns: number, rows: number) => {
          scroller.current?.scrollBy({ left: columns * STEP, top: rows * STEP });
        },
      }),
      [],
    ),
  );
  useDragging(scroller);

  const heaviest = Math.max(1, ...graph.edges.map((e) => e.weight));
  const weights = new Map(graph.edges.map((e) => [`${e.from} ${e.to}`, e.weight]));
  const nodes = new Map(graph.nodes.map((n) => [n.id, n]));
  return (
    <div class="drawing">
      <div class="scroller" ref={scroller}>
        <svg
          width={Math.ceil(placed.width * scale)}
          height={Math.ceil(placed.height * scale)}
          viewBox={`0 0 ${placed.width} ${placed.height}`}
          aria-label={`call graph of ${nodes.get(graph.middle)?.fn.name ?? ""}, callers above it and callees below`}
          role="group"
          onKeyDown={(e) => {
            const from = (e.target as Element).closest(".box > a");
            if (from && focusNext(e.currentTarget, from, e.key)) e.preventDefault();
          }}
        >
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="9"
              markerHeight="9"
              markerUnits="userSpaceOnUse"
              orient="auto"
            >
              <path d="M0 0L8 4L0 8Z" />
            </marker>
          </defs>
          {placed.lines.map((l) => {
            const weight = weights.get(`${l.from} ${l.to}`) ?? 0;
            return (
              <g key={`${l.from} ${l.to}`} class="edge">
                <title>{told(weight)}</title>
                <path
                  d={curve(l.points)}
                  stroke-width={1 + (7 * weight) / heaviest}
                  marker-end="url(#arrow)"
                />
                <text x={l.label.x} y={l.label.y + 4}>
                  {percent(weight / whole)}
                </text>
              </g>
            );
          })}
          {graph.rests.map((r) => {
            const box = placed.boxes.find((b) => b.id === r.of);
            return (
              box && <Beside key={`${r.of} ${r.direction}`} rest={r} box={box} whole={whole} />
            );
          })}
          {placed.boxes.map((b) => {
            const n = nodes.get(b.id);
            return (
              n && (
                <BoxOf
                  key={b.id}
                  box={b}
                  node={n}
                  whole={whole}
                  told={told}
                  middle={b.id === graph.middle}
                  found={found(n.fn)}
                  open={open}
                />
              )
            );
          })}
        </svg>
      </div>
      <div class="zoom" role="group" aria-label="Zoom">
        <button
          type="button"
          aria-label="Larger"
          title="Larger (+)"
          onClick={() => {
            zoom(ZOOM);
          }}
        >
          +
        </button>
        <button
          type="button"
          aria-label="Smaller"
          title="Smaller (−)"
          onClick={() => {
            zoom(1 / ZOOM);
          }}
        >
          −
        </button>
        <button type="button" title="Reset zoom (0)" onClick={center}>
          Fit
        </button>
      </div>
    </div>
  );
}

// Beside says what a box has beside what is drawn; the tables list it.
function Beside({ rest, box, whole }: { rest: Rest; box: Box; whole: number }) {
  const above = rest.direction === "callers";
  const y = box.y + (above ? -1 : 1) * (BOX.height / 2 + 9) + 4;
  return (
    <text class="rest" x={box.x - BOX.width / 2} y={y}>
      {`+ ${rest.count} ${rest.count === 1 ? rest.direction.slice(0, -1) : rest.direction}, ${percent(rest.weight / whole)}`}
    </text>
  );
}

interface BoxProps {
  box: Box;
  node: Node;
  whole: number;
  told: (weight: number) => string;
  middle: boolean;
  found: boolean;
  open: Props["open"];
}

function BoxOf({ box, node, whole, told, middle, found, open }: BoxProps) {
  const { fn, total, self } = node;
  const left = box.x - BOX.width / 2;
  const top = box.y - BOX.height / 2;
  const name = nameOf(fn);
  const numbers =
    total === undefined
      ? basename(fn.binary ?? "") || fn.kind
      : `${percent(total / whole)} · itself ${percent((self ?? 0) / whole)}`;
  const shown = fitName(shortName(name), BOX.width - 16, measure);
  const inner = BOX.width - 2;
  return (
    <g class={`box${middle ? " middle" : ""}${found ? " found" : ""}`}>
      <a
        href={linkTo({ fn: node.id })}
        data-fn={node.id}
        aria-current={middle ? "true" : undefined}
        {...functionHandlers(fn)}
        onClick={walkTo(fn)}
        onContextMenu={(e) => {
          onFunctionMenu(e, fn);
        }}
      >
        <title>
          {titleOf(fn)}
          {total !== undefined && `\n${told(total)}\nitself ${told(self ?? 0)}`}
        </title>
        <rect class="ground" x={left} y={top} width={BOX.width} height={BOX.height} rx="6" />
        {total !== undefined && (
          <>
            <rect
              class="total"
              x={left + 1}
              y={top + BOX.height - 6}
              width={(inner * Math.min(total, whole)) / whole}
              height="5"
            />
            <rect
              class="self"
              x={left + 1}
              y={top + BOX.height - 6}
              width={(inner * Math.min(self ?? 0, whole)) / whole}
              height="5"
            />
          </>
        )}
        <text class="name" x={box.x} y={top + 19}>
          {shown}
        </text>
        <text class="numbers" x={box.x} y={top + 35}>
          {numbers}
        </text>
      </a>
      {node.more.map((direction) => (
        <More
          key={direction}
          x={left + BOX.width - 16}
          y={direction === "callers" ? top : top + BOX.height}
          label={`${direction === "callers" ? "Callers" : "Callees"} of ${shortName(name)}`}
          open={() => {
            open(node.id, direction);
          }}
        />
      ))}
    </g>
  );
}

function More({ x, y, label, open }: { x: number; y: number; label: string; open: () => void }) {
  return (
    <g
      class="more"
      role="button"
      tabIndex={0}
      aria-label={label}
      onClick={open}
      onKeyDown={(e) => {
        if (e.key !== "Enter" && e.key !== " ") return;
        e.preventDefault();
        open();
      }}
    >
      <title>{label}</title>
      <circle cx={x} cy={y} r="9" />
      <path d={`M${x - 4} ${y}h8M${x} ${y - 4}v8`} />
    </g>
  );
}

// fit makes the width fit, but nothing too small to be read: the rest is scrolled to.
function fit(placed: Placed, into: HTMLElement): number {
  const scale = (into.clientWidth - 4) / Math.max(1, placed.width);
  return Math.min(1.15, Math.max(0.62, scale));
}

const pen = document.createElement("canvas").getContext("2d");

function measure(text: string): number {
  if (!pen) return text.length * 7;
  pen.font = "600 12px system-ui, sans-serif";
  return pen.measureText(text).width;
}

// focusNext gives the focus to the nearest box in a direction.
function focusNext(svg: Element, from: Element, key: string): boolean {
  if (!key.startsWith("Arrow")) return false;
  const middle = (e: Element): [number, number] => {
    const r = e.getBoundingClientRect();
    return [r.x + r.width / 2, r.y + r.height / 2];
  };
  const [x, y] = middle(from);
  let best: SVGAElement | undefined;
  let least = Infinity;
  for (const one of svg.querySelectorAll<SVGAElement>(".box > a")) {
    const [ox, oy] = middle(one);
    const [along, aside] =
      key === "ArrowUp"
        ? [y - oy, x - ox]
        : key === "ArrowDown"
          ? [oy - y, x - ox]
          : key === "ArrowLeft"
            ? [x - ox, y - oy]
            : [ox - x, y - oy];
    if (along < 5) continue;
    const far = along + 3 * Math.abs(aside);
    if (far < least) [best, least] = [one, far];
  }
  best?.focus();
  return best !== undefined;
}

// useDragging has the mouse move the picture, and ctrl-wheel zoom as a browser's own.
function useDragging(scroller: { current: HTMLDivElement | null }): void {
  useEffect(() => {
    const s = scroller.current;
    if (!s) return;
    let from: { x: number; y: number } | undefined;
    const down = (e: PointerEvent): void => {
      if (e.pointerType !== "mouse" || e.button !== 0) return;
      if ((e.target as Element).closest("a, [role=button]")) return;
      from = { x: e.clientX + s.scrollLeft, y: e.clientY + s.scrollTop };
      s.setPointerCapture(e.pointerId);
      s.classList.add("dragged");
    };
    const move = (e: PointerEvent): void => {
      if (!from) return;
      s.scrollLeft = from.x - e.clientX;
      s.scrollTop = from.y - e.clientY;
    };
    const up = (): void => {
      from = undefined;
      s.classList.remove("dragged");
    };
    s.addEventListener("pointerdown", down);
    s.addEventListener("pointermove", move);
    s.addEventListener("pointerup", up);
    s.addEventListener("pointercancel", up);
    return () => {
      s.removeEventListener("pointerdown", down);
      s.removeEventListener("pointermove", move);
      s.removeEventListener("pointerup", up);
      s.removeEventListener("pointercancel", up);
    };
  }, [scroller]);
}
