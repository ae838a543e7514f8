// A layout as an SVG picture: what is in view, level by level, each frame with its name as
// a tooltip.

import { firstVisible, OTHERS } from "../data/layout";
import { endOfStrip, ROW, type Scene } from "./painter";
import { FONT_FAMILY, FONT_SIZE, type Labels } from "./text";

const GAP = 1;
const THIN = 0.5; // pixels; what is thinner is joined with its neighbours
const LEAST_LABEL = 30;
const PADDING = 5;

export interface Caption {
  readonly title: string;
  // What is said of a node beside its name: "12.3%".
  readonly share: (node: number) => string;
}

// svgOf draws all levels of a scene, however high its window is.
export function svgOf(s: Scene, labels: Labels, caption: Caption): string {
  const { layout, from, to, colors } = s;
  const scale = s.width / (to - from);
  const height = layout.levels * ROW + ROW;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${s.width} ${height}" width="${s.width}" height="${height}" font-family='${FONT_FAMILY}' font-size="${FONT_SIZE}">`,
    `<title>${escaped(caption.title)}</title>`,
    `<rect width="100%" height="100%" fill="${colors.background}"/>`,
    `<text x="${PADDING}" y="${ROW - 6}" fill="${colors.text}">${escaped(caption.title)}</text>`,
  ];
  for (let level = 0; level < layout.levels; level++) {
    const row = s.rootBelow ? layout.levels - 1 - level : level;
    const y = (row + 1) * ROW;
    const stop = layout.first[level + 1];
    for (let i = firstVisible(layout, level, from); i < stop && layout.start[i] < to;) {
      const left = Math.max(0, (layout.start[i] - from) * scale);
      const right = Math.min(s.width, (layout.start[i] + layout.width[i] - from) * scale);
      if (right - left < THIN) {
        const next = endOfStrip(layout, i, stop, layout.start[i] + 1 / scale);
        const end = (layout.start[next - 1] + layout.width[next - 1] - from) * scale;
        out.push(rect(left, y, Math.max(THIN, end - left), fill(s, i), ""));
        i = next;
        continue;
      }
      const fn = layout.fn[i];
      const name = fn === OTHERS ? "calls too small to tell apart" : labels.wholeName(fn);
      const tip = `<title>${escaped(`${name} ${caption.share(i)}`)}</title>`;
      const width = right - left;
      out.push(rect(left, y, width > 3 ? width - GAP : width, fill(s, i), tip));
      if (width >= LEAST_LABEL && fn !== OTHERS) {
        const label = labels.fit(fn, width - 2 * PADDING);
        const ink = isMarked(s, i) ? colors.markedText : colors.text;
        if (label !== "") {
          const at = `x="${round(left + PADDING)}" y="${y + ROW - 6}"`;
          out.push(`<text ${at} fill="${ink}" pointer-events="none">${escaped(label)}</text>`);
        }
      }
      i++;
    }
  }
  out.push("</svg>\n");
  return out.join("\n");
}

function rect(x: number, y: number, width: number, color: string, inner: string): string {
  const box = `x="${round(x)}" y="${y}" width="${round(width)}" height="${ROW - GAP}"`;
  const open = `<rect ${box} fill="${color}"`;
  return inner === "" ? `${open}/>` : `${open}>${inner}</rect>`;
}

function isMarked(s: Scene, node: number): boolean {
  const fn = s.layout.fn[node];
  return s.marked !== null && fn >= 0 && s.marked[fn] === 1;
}

function fill(s: Scene, node: number): string {
  const fn = s.layout.fn[node];
  if (isMarked(s, node)) return s.colors.marked;
  if (fn === OTHERS) return s.colors.others;
  return s.colors.frames[s.layout.shade ? s.layout.shade[node] : s.colorOf[fn]];
}

function round(x: number): number {
  return Math.round(x * 100) / 100;
}

function escaped(s: string): string {
  return s
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/[^\t\n\r\u0020-\uffff]/g, "\ufffd");
}
