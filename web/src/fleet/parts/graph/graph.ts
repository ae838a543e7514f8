// A graph of the server's tree: what is asked for, when, and what of it is to be painted.
//
// The first question is for what is wide enough to see, which is there at once; the second
// for the whole tree, so that zooming and searching need no server. A tree that is too
// large for that has its narrow parts left out, and they are asked for, by their path, once
// the reader zooms in on them.

import { ask, forget } from "../../api/client";
import type { Parameters } from "../../state/address";
import { colors } from "../../state/theme";
import { TREE_TYPE } from "../../../data/columns";
import { firstVisible, nodeAt, OTHERS, type Layout } from "../../../data/layout";
import type { Colors } from "../../../draw/painter";
import type { Place } from "../../../graph/flameview";
import type { FrameText } from "../../../graph/tooltip";
import { tell } from "./client";
import { describe } from "./describe";
import type { Picture } from "./messages";
import { bytesOf, Tree, unread, type GraphState } from "./tree";

// Wide enough to see: half a pixel of some two thousand.
const FIRST = { max_nodes: 30_000, min_share: 0.00025 };
const MOST_NODES = 1_000_000;
// Inverted trees repeat every stack from each of its ends on; below this they have many
// nodes that nobody will ever see.
const LEAST_INVERTED = 0.00001;

const SETTLED = 150; // ms without a movement
const WORTH = 3; // pixels that something left out must have to be asked for

export interface Question {
  readonly root: "callers" | "callees"; // as the API has it
  readonly focus: number; // a function's id, 0 for none
  urlOf: (shape: Parameters) => string;
}

export class Graph extends Tree {
  private question: Question | null = null;
  private hidden: readonly number[] = [];
  private timer = 0;
  private asking = false;
  private asked = new Map<string, number>(); // by path: the least weight that was asked for

  colors(): Colors {
    return colors.value;
  }

  // describe says a frame's own weight where that means something.
  describe(place: Place): FrameText | null {
    const { basis } = this.state.peek();
    const withOwn = this.question?.root === "callers";
    return basis && describe(place, this.functions, basis, withOwn, this.prices);
  }

  // load asks a question. What was painted stays until the answer is there.
  async load(question: Question): Promise<void> {
    const turn = this.start(question);
    const first = question.urlOf(this.shape(FIRST));
    const picture = await this.open(turn, first, {
      busy: true,
      filling: false,
      ...this.before(),
    });
    if (!picture || picture.complete) return;
    const whole: Parameters = { max_nodes: MOST_NODES };
    if (question.root === "callees") whole.min_share = LEAST_INVERTED;
    await this.open(turn, question.urlOf(this.shape(whole)), { filling: true });
    if (turn === this.turn && !this.state.peek().error) {
      this.asked.set("", question.root === "callees" ? LEAST_INVERTED * this.layout.total : 0);
    }
  }

  override retry(): void {
    if (this.question) void this.load(this.question);
  }

  async hide(ids: readonly number[]): Promise<void> {
    if (ids.join() === this.hidden.join()) return;
    this.hidden = ids;
    const { turn } = this;
    if (!this.state.peek().basis) return;
    const picture = await tell<"hide">(this.number, { kind: "hide", hidden: ids });
    if (turn === this.turn) this.paint(picture, {});
  }

  async folded(): Promise<Blob> {
    return tell<"folded">(this.number, { kind: "folded" });
  }

  override end(): void {
    clearTimeout(this.timer);
    super.end();
  }

  // show of LayoutSource: asks for what was left out where the reader looks.
  show(from: number, to: number, pixels: number): void {
    clearTimeout(this.timer);
    if (this.state.peek().complete || this.asking) return;
    this.timer = window.setTimeout(() => {
      void this.fill(from, to, (to - from) / pixels);
    }, SETTLED);
  }

  private start(question: Question): number {
    clearTimeout(this.timer);
    this.question = question;
    this.asked = new Map();
    this.asking = false;
    return this.begin();
  }

  private shape(more: Parameters): Parameters {
    const out: Parameters = { root: this.question?.root ?? "callers", ...more };
    const focus = this.question?.focus ?? 0;
    if (focus !== 0) {
      // With the path to it the function itself is the root.
      out.focus = focus;
      out.path = out.path === undefined ? String(focus) : `${focus},${String(out.path)}`;
    }
    return out;
  }

  // bytes gives null where the answer is of no use any more, or there is none. Errors are
  // shown, but for those of a part: what is there stays good without it.
  private async bytes(turn: number, url: string, part = false): Promise<ArrayBuffer | null> {
    const q = ask(url, bytesOf, TREE_TYPE);
    this.giveUp = () => {
      q.giveUp();
      if (turn === this.turn) this.set({ busy: false, filling: false });
    };
    try {
      const bytes = await q.answer;
      return turn === this.turn ? bytes : null;
    } catch (e) {
      if (turn !== this.turn) return null;
      if (part) this.set({ filling: false });
      else this.failed(e);
      return null;
    }
  }

  private async open(
    turn: number,
    url: string,
    meanwhile: Partial<GraphState>,
  ): Promise<Picture | null> {
    this.set(meanwhile);
    const bytes = await this.bytes(turn, url);
    if (!bytes) return null;
    const { hidden, search } = this;
    try {
      const picture = await tell<"open">(this.number, { kind: "open", bytes, hidden, search });
      if (turn !== this.turn) return null;
      this.paint(picture, { busy: false, filling: false, error: null, version: turn });
      return picture;
    } catch (e) {
      forget(url, TREE_TYPE);
      if (turn === this.turn) this.failed(unread(e));
      return null;
    }
  }

  private async fill(from: number, to: number, pixel: number): Promise<void> {
    const { turn, question, layout } = this;
    if (!question || this.state.peek().filling || this.asking) return;
    const at = innermost(layout, from, to);
    if (!leftOut(layout, at.level, from, to, WORTH * pixel)) return;
    this.asking = true;
    try {
      const path = await tell<"path">(this.number, { kind: "path", at: at.node });
      if (!path || turn !== this.turn || layout !== this.layout) return;
      const key = path.ids.join();
      const least = pixel / 2;
      if (least >= (this.asked.get(key) ?? Infinity)) return;
      this.asked.set(key, least);
      this.set({ filling: true });
      const shape: Parameters = {
        max_nodes: MOST_NODES,
        min_share: Math.min(1, least / layout.width[at.node]),
      };
      if (path.ids.length > 0) shape.path = path.ids.join();
      const bytes = await this.bytes(turn, question.urlOf(this.shape(shape)), true);
      if (!bytes) {
        this.asked.delete(key); // the next look at it asks again
        return;
      }
      const { node } = path;
      const picture = await tell<"more">(this.number, { kind: "more", node, bytes });
      if (picture && turn === this.turn) this.paint(picture, {});
    } finally {
      if (turn === this.turn) {
        this.asking = false;
        this.set({ filling: false });
      }
    }
  }

  private paint(picture: Picture, change: Partial<GraphState>): void {
    this.functions.add(picture.added);
    this.layout = picture.layout;
    const another = change.version !== undefined && change.version !== this.state.peek().version;
    const { basis, marks, complete, nodes } = picture;
    this.set({ basis, marks, complete, nodes, ...change });
    if (another) this.replaced();
    else this.changed();
  }
}

// innermost is the last node on the way from the root that covers all that is in view.
function innermost(l: Layout, from: number, to: number): { node: number; level: number } {
  const slack = (to - from) * 1e-6;
  let node = 0;
  let level = 0;
  for (let next = 1; next < l.levels; next++) {
    const i = nodeAt(l, next, (from + to) / 2);
    if (i < 0 || l.fn[i] === OTHERS) break;
    if (l.start[i] > from + slack || l.start[i] + l.width[i] < to - slack) break;
    node = i;
    level = next;
  }
  return { node, level };
}

// leftOut says whether something at least so wide is missing in view.
function leftOut(l: Layout, level: number, from: number, to: number, least: number): boolean {
  for (let at = level + 1; at < l.levels; at++) {
    const stop = l.first[at + 1];
    for (let i = firstVisible(l, at, from); i < stop && l.start[i] < to; i++) {
      if (l.fn[i] === OTHERS && l.width[i] >= least) return true;
    }
  }
  return false;
}
