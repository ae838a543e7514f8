// Two selections as one flame graph: a frame is as wide as the mean of its two shares, and
// its colour and sign say what became less and what became more, beyond what the samples
// can tell.

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { questionOf } from "../../api/answer";
import { ask, forget } from "../../api/client";
import { functionSelection, type Parameters } from "../../state/address";
import { generation } from "../../state/moment";
import { address } from "../../state/navigation";
import { colors, theme } from "../../state/theme";
import { TREE_TYPE, type Basis } from "../../../data/columns";
import { CHANGE_STEPS } from "../../../data/difference";
import { changeTable } from "../../../draw/palette";
import type { Colors } from "../../../draw/painter";
import { percent } from "../../../format/number";
import type { Place } from "../../../graph/flameview";
import type { FrameText } from "../../../graph/tooltip";
import { cores, coresText } from "../cores";
import { billText, usePrices } from "../prices";
import { tell } from "./client";
import { describe, shareText } from "./describe";
import { mount, type Handle, type Selected } from "./flamegraph";
import { GraphFrame } from "./frame";
import type { Compared } from "./messages";
import { bytesOf, Tree, unread } from "./tree";

// Both halves at once, and fine enough for the widest screens.
const SHAPE = { root: "callers", max_nodes: 200_000, min_share: 0.0001, events: true };

class DifferenceSource extends Tree {
  private compared: Compared | null = null;
  private asked: readonly string[] = [];

  show(): void {
    // All there is was asked for.
  }

  colors(): Colors {
    return { ...colors.value, frames: changeTable(theme.value, CHANGE_STEPS) };
  }

  async load(before: string, after: string): Promise<void> {
    this.asked = [before, after];
    const turn = this.begin();
    const questions = this.asked.map((url) => ask(url, bytesOf, TREE_TYPE));
    this.giveUp = () => {
      for (const q of questions) q.giveUp();
    };
    this.set({ busy: true, ...this.before() });
    try {
      const [a, b] = await Promise.all(questions.map((q) => q.answer));
      if (turn === this.turn) await this.open(turn, a, b);
    } catch (e) {
      if (turn === this.turn) this.failed(e);
    }
  }

  override retry(): void {
    const [before, after] = this.asked;
    void this.load(before, after);
  }

  private async open(turn: number, before: ArrayBuffer, after: ArrayBuffer): Promise<void> {
    const { search } = this;
    let told: Compared;
    try {
      told = await tell<"compare">(this.number, { kind: "compare", before, after, search });
    } catch (e) {
      for (const url of this.asked) forget(url, TREE_TYPE);
      throw unread(e);
    }
    if (turn !== this.turn) return;
    this.compared = told;
    this.functions.add(told.added);
    this.layout = told.layout;
    const { basis, marks, nodes } = told;
    this.set({ basis, marks, nodes, busy: false, error: null, version: turn });
    this.replaced();
  }

  describe(place: Place): FrameText | null {
    const told = this.compared;
    if (!told) return null;
    const text = describe(place, this.functions, told.basis, false, null);
    const { node } = place;
    const before = told.before.share[node];
    const after = told.after.share[node];
    const sign = after > before ? "+" : "";
    const said = (share: number, basis: Basis, events: number): string =>
      shareText(share * basis.value, { ...basis, read: events });
    const a = said(before, told.beforeBasis, told.before.events[node]);
    const b = said(after, told.basis, told.after.events[node]);
    const n = cores(after * told.basis.value, told.basis);
    const m = cores(before * told.beforeBasis.value, told.beforeBasis);
    const more = n - m;
    const bill = billText(more, this.prices);
    return {
      ...text,
      here: `before ${a}, after ${b} (${sign}${percent(after - before)}) · ${coresText(m)} → ${coresText(n)} cores${bill && `${bill} more`}`,
    };
  }
}

interface Props {
  readonly name: string; // of its range in the address
  readonly before: Parameters; // what of the page's selection is otherwise in each half
  readonly after: Parameters;
  readonly use: (graph: Handle | null) => void;
  readonly onSelect: (selected: Selected | null) => void;
}

export function DifferenceGraph(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const { project } = address.value;
  const source = useMemo(() => new DifferenceSource(), [project]);
  source.prices = usePrices();
  const latest = useRef(props);
  latest.current = props;
  const urlOf = (half: Parameters): string =>
    questionOf("/api/v1/tree", { ...functionSelection(address.value), ...SHAPE, ...half });
  const before = urlOf(props.before);
  const after = urlOf(props.after);
  const again = generation.value;
  useEffect(() => {
    void source.load(before, after);
  }, [source, before, after, again]);
  useLayoutEffect(() => {
    const at = host.current;
    if (!at) return;
    const made = mount(at, source, () => ({
      name: latest.current.name,
      label: "Flame graph of what changed",
      rootBelow: false,
      selects: true,
      onSelect: latest.current.onSelect,
    }));
    latest.current.use(made.handle);
    return () => {
      latest.current.use(null);
      made.end();
      source.end();
    };
  }, [source]);
  return (
    <GraphFrame graph={source} host={host}>
      <p class="changes" aria-label="Colours and signs">
        <i class="change-less" aria-hidden="true" /> ▼ less
        <i class="change-none" aria-hidden="true" /> no more than chance
        <i class="change-more" aria-hidden="true" /> ▲ more
      </p>
    </GraphFrame>
  );
}
