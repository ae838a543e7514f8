// Two selections as one flame graph: a frame is as wide as the mean of its two shares, and
// its colour and sign say what became less and what became more, beyond what the samples
// can tell.

import { signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { questionOf } from "../../api/answer";
import { ask, type ApiError } from "../../api/client";
import { selection, type Parameters } from "../../state/address";
import { generation } from "../../state/moment";
import { address } from "../../state/navigation";
import { colors, theme } from "../../state/theme";
import { TREE_TYPE } from "../../../data/columns";
import { CHANGE_STEPS } from "../../../data/difference";
import type { Layout } from "../../../data/layout";
import { changeTable } from "../../../draw/palette";
import type { Colors } from "../../../draw/painter";
import { percent } from "../../../format/number";
import type { Place } from "../../../graph/flameview";
import { nothing } from "../../../graph/source";
import type { FrameText } from "../../../graph/tooltip";
import { Waiting } from "../answered";
import { Failure } from "../failure";
import { NoSamples } from "../nosamples";
import { newGraph, tell } from "./client";
import { describe, shareText } from "./describe";
import { mount, type Handle, type Source } from "./flamegraph";
import { FunctionTable } from "./functions";
import { asApiError, bytesOf, type GraphState } from "./graph";
import type { Compared, Pattern } from "./messages";

// Both halves at once, and fine enough for the widest screens.
const SHAPE = { root: "callers", max_nodes: 200_000, min_share: 0.0001 };

class DifferenceSource implements Source {
  layout: Layout = nothing();
  changed: () => void = () => undefined;
  replaced: () => void = () => undefined;
  readonly functions = new FunctionTable();
  private readonly number = newGraph();
  private compared: Compared | null = null;
  private search: Pattern | null = null;
  private turn = 0;
  private giveUp: () => void = () => undefined;
  private readonly current = signal<GraphState>({
    basis: null,
    marks: null,
    complete: true,
    nodes: 0,
    busy: false,
    filling: false,
    error: null,
    version: 0,
  });

  get state(): ReadonlySignal<GraphState> {
    return this.current;
  }

  show(): void {
    // All there is was asked for.
  }

  colors(): Colors {
    return { ...colors.value, frames: changeTable(theme.value, CHANGE_STEPS) };
  }

  async load(before: string, after: string): Promise<void> {
    this.giveUp();
    const turn = ++this.turn;
    const questions = [before, after].map((url) => ask(url, bytesOf, TREE_TYPE));
    this.giveUp = () => {
      for (const q of questions) q.giveUp();
    };
    this.set({ busy: true, error: null });
    try {
      const [a, b] = await Promise.all(questions.map((q) => q.answer));
      if (turn !== this.turn) return;
      const { search } = this;
      const told = await tell<"compare">(this.number, {
        kind: "compare",
        before: a,
        after: b,
        search,
      });
      if (turn !== this.turn) return;
      this.compared = told;
      this.functions.add(told.added);
      this.layout = told.layout;
      const { basis, marks, nodes } = told;
      this.set({ basis, marks, nodes, busy: false, version: turn });
      this.replaced();
    } catch (e) {
      if (turn === this.turn) this.set({ busy: false, error: asApiError(e) });
    }
  }

  async find(search: Pattern | null): Promise<void> {
    this.search = search;
    const { layout } = this;
    if (!this.compared) return;
    const marks = await tell<"search">(this.number, { kind: "search", search });
    if (layout !== this.layout || search !== this.search) return;
    this.set({ marks });
    this.changed();
  }

  describe(place: Place): FrameText | null {
    const told = this.compared;
    if (!told) return null;
    const text = describe(place, this.functions, told.basis, false);
    const before = told.before[place.node];
    const after = told.after[place.node];
    const sign = after > before ? "+" : "";
    const a = shareText(before * told.beforeBasis.value, told.beforeBasis);
    const b = shareText(after * told.basis.value, told.basis);
    return { ...text, here: `before ${a}, after ${b} (${sign}${percent(after - before)})` };
  }

  end(): void {
    this.turn++;
    this.giveUp();
    void tell<"close">(this.number, { kind: "close" });
  }

  private set(change: Partial<GraphState>): void {
    this.current.value = { ...this.current.peek(), ...change };
  }
}

interface Props {
  readonly name: string; // of its range in the address
  readonly before: Parameters; // what of the page's selection is otherwise in each half
  readonly after: Parameters;
  readonly use?: (graph: Handle | null) => void;
}

export function DifferenceGraph(props: Props) {
  const host = useRef<HTMLDivElement>(null);
  const { project } = address.value;
  const source = useMemo(() => new DifferenceSource(), [project]);
  const latest = useRef(props);
  latest.current = props;
  const urlOf = (half: Parameters): string =>
    questionOf("/api/v1/tree", { ...selection(address.value), ...SHAPE, ...half });
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
    }));
    latest.current.use?.(made.handle);
    return () => {
      latest.current.use?.(null);
      made.end();
      source.end();
    };
  }, [source]);
  const state = source.state.value;
  const empty = state.basis !== null && source.layout.levels === 0;
  return (
    <div class={`flame-graph ${state.busy ? "stale" : ""}`} aria-busy={state.busy}>
      <p class="changes" aria-label="Colours and signs">
        <i class="change-less" aria-hidden="true" /> ▼ less
        <i class="change-none" aria-hidden="true" /> no more than chance
        <i class="change-more" aria-hidden="true" /> ▲ more
      </p>
      {state.error && <Retry error={state.error} again={() => void source.load(before, after)} />}
      {state.basis === null && !state.error && <Waiting />}
      {empty && <NoSamples />}
      <div ref={host} class="flame-host" hidden={state.basis === null || empty} />
    </div>
  );
}

function Retry({ error, again }: { readonly error: ApiError; readonly again: () => void }) {
  return (
    <div class="banner">
      <Failure error={error} retry={again} />
    </div>
  );
}
