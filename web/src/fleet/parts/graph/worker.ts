// The worker behind the flame graphs: it reads trees, lays them out and searches them, so
// that the page never waits. It keeps the trees; the page has what it paints.

import { decodeColumns, type Answered, type Basis } from "../../../data/columns";
import {
  CHANGE_STEPS,
  changeOf,
  difference,
  type Half,
  type Shares,
} from "../../../data/difference";
import { foldedText } from "../../../data/folded";
import { graft } from "../../../data/graft";
import { hideFunctions } from "../../../data/hide";
import { place } from "../../../data/layout";
import { markTree, type Marks } from "../../../data/marks";
import type { Tree } from "../../../data/profile";
import { FunctionTable, ROOT } from "./functions";
import type { Ask, Compared, FromWorker, Path, Pattern, Picture, Told, ToWorker } from "./messages";

const MOST_NODES = 4_000_000; // of one tree with all that was asked for later
const SAME = 1e-9; // of the weight: floating point

class Held {
  private readonly table = new FunctionTable();
  private told = this.table.count; // functions that the page knows
  private base!: Tree;
  private basis!: Basis;
  private shown!: Tree;
  private from: Int32Array | null = null; // of shown in base, null where they are the same
  private node!: Int32Array; // of the layout's nodes in shown
  private hidden: readonly number[] = [];
  private search: Pattern | null = null;

  answer(ask: Exclude<Ask, { kind: "close" }>): Told[keyof Told] {
    switch (ask.kind) {
      case "open":
        this.hidden = ask.hidden;
        this.search = ask.search;
        this.base = this.whole(ask.bytes).tree;
        return this.picture();
      case "more":
        return this.more(ask.node, this.read(ask.bytes).tree);
      case "hide":
        this.hidden = ask.hidden;
        return this.picture();
      case "search":
        this.search = ask.search;
        return this.marks();
      case "path":
        return this.path(ask.at);
      case "compare":
        this.search = ask.search;
        return this.compare(ask.before, ask.after);
      case "folded":
        return new Blob([foldedText(this.shown, (fn) => this.table.nameOf(fn), 1)], {
          type: "text/plain",
        });
    }
  }

  private read(bytes: ArrayBuffer): Answered {
    const answer = decodeColumns(new Uint8Array(bytes));
    const { basis, functions, tree } = answer;
    this.basis = basis;
    const at = this.table.add(functions);
    for (let i = 0; i < tree.count; i++) tree.fn[i] = at[tree.fn[i]];
    return answer;
  }

  // whole has the function 0 of a root be the root's own: others of it are unknown code.
  private whole(bytes: ArrayBuffer): Answered {
    const answer = this.read(bytes);
    const { tree } = answer;
    if (tree.count > 0 && this.table.ids[tree.fn[0]] === 0) tree.fn[0] = ROOT;
    return answer;
  }

  private more(node: number, part: Tree): Picture | null {
    const { base } = this;
    const wanted = base.total[node];
    const same = part.count > 0 && Math.abs(part.total[0] - wanted) <= wanted * SAME;
    if (!same || base.count + part.count > MOST_NODES) return null;
    part.fn[0] = base.fn[node];
    this.base = graft(base, node, part);
    return this.picture();
  }

  private picture(): Picture {
    const hidden = new Uint8Array(this.table.count);
    let some = false;
    for (const id of this.hidden) {
      const fn = this.table.indexOf(id);
      if (fn < 0) continue;
      hidden[fn] = 1;
      some = true;
    }
    if (some) {
      const less = hideFunctions(this.base, hidden);
      this.shown = less.tree;
      this.from = less.from;
    } else {
      this.shown = this.base;
      this.from = null;
    }
    const { layout, node } = place(this.shown);
    this.node = node;
    const added = this.table.since(this.told);
    this.told = this.table.count;
    return {
      layout,
      marks: this.marks(),
      basis: this.basis,
      complete: this.base.rest === null,
      nodes: this.base.count,
      added,
    };
  }

  private compare(first: ArrayBuffer, second: ArrayBuffer): Compared {
    const a = this.whole(first);
    const beforeBasis = this.basis;
    const { tree, before, after } = difference(halfOf(a), halfOf(this.whole(second)));
    this.base = tree;
    this.hidden = [];
    const picture = this.picture();
    const placed = ({ share, events }: Shares): Shares => ({
      share: Float64Array.from(this.node, (i) => (i < 0 ? 0 : share[i])),
      events: Float64Array.from(this.node, (i) => (i < 0 ? 0 : events[i])),
    });
    const shade = Uint8Array.from(this.node, (i) => {
      if (i < 0) return CHANGE_STEPS;
      const change = changeOf(before.share[i], after.share[i], before.events[i], after.events[i]);
      return CHANGE_STEPS + change;
    });
    const layout = { ...picture.layout, shade, signs: ["▼▼ ", "▼ ", "▾ ", "", "▴ ", "▲ ", "▲▲ "] };
    return { ...picture, layout, beforeBasis, before: placed(before), after: placed(after) };
  }

  private marks(): Marks | null {
    if (this.search === null) return null;
    const { functions, found } = this.table.search(
      new RegExp(this.search.source, this.search.flags),
    );
    return markTree(this.shown, this.node, functions, found);
  }

  private path(at: number): Path | null {
    const k = this.node[at];
    let node = k < 0 ? ~k : k;
    if (this.from) node = this.from[node];
    if (node < 0) return null;
    const ids: number[] = [];
    for (let i = node; i > 0; i = this.base.parent[i]) ids.push(this.table.ids[this.base.fn[i]]);
    return { node, ids: ids.reverse() };
  }
}

function halfOf({ tree, events }: Answered): Half {
  if (!events) throw new Error("the answer does not say the events behind its shares: reload");
  return { tree, events };
}

// buffers of an answer are handed over rather than copied: nothing here needs them again.
function buffers(value: Told[keyof Told]): Transferable[] {
  if (value === null) return [];
  if ("hits" in value) return [value.functions.buffer, value.before.buffer, value.hits.buffer];
  if (!("layout" in value)) return [];
  const { first, fn, start, width } = value.layout;
  const marks = value.marks ? buffers(value.marks) : [];
  return [first.buffer, fn.buffer, start.buffer, width.buffer, ...marks];
}

interface Port {
  onmessage: ((e: MessageEvent<ToWorker>) => void) | null;
  postMessage: (message: FromWorker, transfer?: Transferable[]) => void;
}

const port = globalThis as unknown as Port;
const graphs = new Map<number, Held>();

port.onmessage = ({ data: { number, graph, ask } }) => {
  if (ask.kind === "close") {
    graphs.delete(graph);
    port.postMessage({ number, value: null });
    return;
  }
  try {
    let held = graphs.get(graph);
    if (!held) {
      held = new Held();
      graphs.set(graph, held);
    }
    const value = held.answer(ask);
    port.postMessage({ number, value }, buffers(value));
  } catch (e) {
    port.postMessage({ number, error: e instanceof Error ? e.message : String(e) });
  }
};
