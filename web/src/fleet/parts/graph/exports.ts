// A graph as a file: a picture of what is in view, its stacks as text, or its profile.

import { request } from "../../api/client";
import { questionOf } from "../../api/answer";
import { selection } from "../../state/address";
import { address } from "../../state/navigation";
import type { Basis } from "../../../data/columns";
import { Painter, ROW, type Colors, type Scene } from "../../../draw/painter";
import { svgOf } from "../../../draw/svg";
import { Labels } from "../../../draw/text";
import { shareText } from "./describe";
import type { GraphHandle } from "./flamegraph";

const NARROWEST = 1200; // pixels of a picture
const PNG_RATIO = 2;
const TALLEST = 16_000; // pixels of a canvas

export async function save(
  kind: "svg" | "png" | "folded" | "pprof",
  from: GraphHandle,
): Promise<void> {
  const { basis } = from.graph.state.peek();
  if (!basis) return;
  const name = fileName(basis);
  switch (kind) {
    case "svg":
      download(`${name}.svg`, new Blob([asSvg(from, basis)], { type: "image/svg+xml" }));
      break;
    case "png":
      download(`${name}.png`, await asPng(from));
      break;
    case "folded":
      download(`${name}.folded.txt`, await from.graph.folded());
      break;
    case "pprof": {
      const url = questionOf("/api/v1/profile", selection(address.value));
      download(`${name}.pb.gz`, await (await request(url)).blob());
    }
  }
}

// wholeScene is what is in view, with all levels.
function wholeScene(from: GraphHandle, context: CanvasRenderingContext2D): Scene {
  const s = from.view.scene();
  const plain = (color: string): string => {
    context.fillStyle = color; // any notation of CSS goes in, #rrggbb comes out
    return context.fillStyle;
  };
  const { colors } = s;
  const simple: Colors = {
    frames: colors.frames.map(plain),
    background: plain(colors.background),
    text: plain(colors.text),
    marked: plain(colors.marked),
    markedText: plain(colors.markedText),
    others: plain(colors.others),
    outline: plain(colors.outline),
  };
  return {
    ...s,
    colors: simple,
    scroll: 0,
    width: Math.max(NARROWEST, s.width),
    height: Math.min(TALLEST / PNG_RATIO, s.layout.levels * ROW),
    ratio: PNG_RATIO,
    hovered: -1,
    selected: -1,
  };
}

function newContext(): CanvasRenderingContext2D {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) throw new Error("this browser gives no 2D canvas");
  return context;
}

function asSvg(from: GraphHandle, basis: Basis): string {
  const context = newContext();
  const labels = new Labels(from.graph.functions.names, context);
  const scene = wholeScene(from, context);
  return svgOf(scene, labels, {
    title: titleOf(basis),
    share: (node) => shareText(scene.layout.width[node], basis),
  });
}

async function asPng(from: GraphHandle): Promise<Blob> {
  const context = newContext();
  const scene = wholeScene(from, context);
  context.canvas.width = scene.width * scene.ratio;
  context.canvas.height = scene.height * scene.ratio;
  new Painter(context, new Labels(from.graph.functions.names, context)).paint(scene);
  return new Promise((done, failed) => {
    context.canvas.toBlob((blob) => {
      if (blob) done(blob);
      else failed(new Error("the picture is too large for this browser"));
    }, "image/png");
  });
}

function titleOf(basis: Basis): string {
  const { filters } = address.peek();
  const what = Object.values(filters).flat().join(", ");
  return `${what === "" ? "all services" : what}, ${basis.from} to ${basis.to}`;
}

function fileName(basis: Basis): string {
  const service = address.peek().filters.service?.join("-") ?? "all";
  return `${service}-${basis.from}`.replace(/[^\w.-]+/g, "-");
}

function download(name: string, data: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => {
    URL.revokeObjectURL(link.href);
  }, 60_000);
}
