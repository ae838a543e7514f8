// A flame graph of the server's tree as a component: the canvas, what is under the pointer,
// and the part of the address that says what is in view.

import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { questionOf } from "../../api/answer";
import { functionSelection, type Parameters } from "../../state/address";
import { address, adjust, go, ownChange } from "../../state/navigation";
import { generation } from "../../state/moment";
import { search } from "../../state/search";
import { colorIndices } from "../../../draw/palette";
import { Labels } from "../../../draw/text";
import { formatPair, parsePair } from "../../../format/pair";
import { FlameView, type FlameListener, type Look, type Place } from "../../../graph/flameview";
import type { Range } from "../../../graph/inview";
import { Tooltip } from "../../../graph/tooltip";
import { functionEntries, hiddenFunctions, type Subject } from "../functionmenu";
import { onMenu } from "../menu";
import { usePrices } from "../prices";
import { FIRST_VALUE } from "./functions";
import { GraphFrame } from "./frame";
import { Graph } from "./graph";
import type { Tree } from "./tree";

export interface MountProps {
  readonly name: string; // of its range in the address: "flame" keeps flame.range
  readonly label: string;
  readonly rootBelow: boolean;
  readonly selects: boolean; // a click makes a function the one that the page is about
  readonly onSelect?: (selected: Selected | null) => void;
}

export interface Props extends MountProps {
  readonly root: "callers" | "callees";
  readonly focus: number;
  // only changes the selection of the page's address: one half of a comparison.
  readonly only?: Parameters;
  readonly use: (graph: GraphHandle | null) => void;
}

// Handle is what a view does with a graph: keys, exports.
export interface Handle {
  readonly view: FlameView;
  readonly graph: Tree;
  visitHit: (by: 1 | -1) => void;
  readonly hit: ReadonlySignal<number>;
}

export interface GraphHandle extends Handle {
  readonly graph: Graph;
}

export interface Selected {
  readonly place: Place;
  readonly subject: Subject | null; // null for what is no function
}

const WHOLE: Range = { from: 0, to: 1 };

export function FlameGraph(props: Props) {
  const { root, focus, rootBelow } = props;
  const host = useRef<HTMLDivElement>(null);
  const { project } = address.value;
  // Another project has other functions under the same numbers.
  const graph = useMemo(() => new Graph(), [project]);
  graph.prices = usePrices();
  const latest = useRef(props);
  latest.current = props;
  const view = useRef<FlameView | null>(null);

  const url = questionOf("/api/v1/tree", { ...functionSelection(address.value), ...props.only });
  const again = generation.value;
  useEffect(() => {
    const sep = url.includes("?") ? "&" : "?";
    void graph.load({
      root,
      focus,
      urlOf: (shape) => `${url}${sep}${new URLSearchParams(shape as Record<string, string>)}`,
    });
  }, [graph, url, root, focus, again]);

  const hidden = hiddenFunctions().join();
  useEffect(() => {
    void graph.hide(hidden === "" ? [] : hidden.split(",").map(Number));
  }, [graph, hidden]);

  useLayoutEffect(() => {
    const at = host.current;
    if (!at) return;
    const made = mount(at, graph, () => latest.current);
    view.current = made.handle.view;
    latest.current.use({ ...made.handle, graph });
    return () => {
      latest.current.use(null);
      view.current = null;
      made.end();
      graph.end();
    };
  }, [graph]);

  useEffect(() => {
    view.current?.setRootBelow(rootBelow);
  }, [graph, rootBelow]);

  return <GraphFrame graph={graph} host={host} />;
}

interface Mounted {
  readonly handle: Handle;
  end: () => void;
}

// mount puts the imperative view into its element and wires it to the address.
export function mount(host: HTMLElement, graph: Tree, props: () => MountProps): Mounted {
  const tooltip = new Tooltip();
  const look: Look = {
    colors: graph.colors(),
    colorOf: new Uint8Array(0),
    marked: null,
    markedBefore: null,
  };
  const { name } = props();
  const rangeName = `${name}.range`;
  const selectName = `${name}.select`;
  let restoring = false;
  let saved = ""; // what this view wrote into the address last

  const subjectAt = (place: Place): Subject | null => {
    const fn = place.layout.fn[place.node];
    const f = graph.functions;
    if (fn < 0 || f.ids[fn] <= 0 || f.ids[fn] >= FIRST_VALUE) return null;
    return {
      id: f.ids[fn],
      name: f.names[fn],
      file: f.files[f.file[fn]],
      line: f.line[fn],
    };
  };

  const inAddress = (): string => {
    const { own } = address.peek();
    return `${own[rangeName] ?? ""} ${own[selectName] ?? ""}`;
  };
  const save = (): void => {
    const { range, selected } = view;
    const whole = range.from <= 0 && range.to >= 1;
    const next = {
      [rangeName]: whole ? "" : formatPair(Math.max(0, range.from), Math.min(1, range.to)),
      [selectName]: selected === null ? "" : formatPair(selected.level, selected.at),
    };
    // Back undoes a zoom, not what was only selected.
    const zoomed = next[rangeName] !== (address.peek().own[rangeName] ?? "");
    (zoomed ? go : adjust)(ownChange(next));
    saved = inAddress();
  };
  const restore = (): void => {
    const { own } = address.peek();
    const range = parsePair(own[rangeName]);
    const select = parsePair(own[selectName]);
    const fits = range && range[1] <= 1 && range[0] < range[1];
    view.setRange(fits ? { from: range[0], to: range[1] } : WHOLE);
    restoring = true;
    view.setSelected(select && { level: select[0], at: select[1] });
    restoring = false;
    saved = inAddress();
  };

  const listener: FlameListener = {
    hover: (place, x, y) => {
      const text = place && graph.describe(place);
      if (text) tooltip.show(text, x, y);
      else tooltip.hide();
    },
    select: (place) => {
      const subject = place && subjectAt(place);
      if (subject && props().selects && !restoring) adjust({ fn: subject.id });
      props().onSelect?.(place && { place, subject });
    },
    open: (fn) => {
      const id = graph.functions.ids[fn];
      tooltip.hide();
      if (id > 0 && id < FIRST_VALUE) go({ view: "callgraph", fn: id });
    },
    activate: (place) => {
      const subject = subjectAt(place);
      tooltip.hide();
      if (subject) go({ view: "sandwich", fn: subject.id });
    },
    menu: (place, e) => {
      const subject = subjectAt(place);
      tooltip.hide();
      if (subject) onMenu(e, subject.name, functionEntries(subject));
    },
    moved: save,
  };
  const view = new FlameView(
    props().label,
    graph,
    (c) => new Labels(graph.functions.names, c),
    look,
    listener,
  );
  view.setRootBelow(props().rootBelow);
  host.replaceChildren(view.root);
  document.body.append(tooltip.root);

  let known = 0; // functions that have a colour
  const refresh = (): void => {
    const { marks } = graph.state.peek();
    if (known !== graph.functions.count) {
      known = graph.functions.count;
      look.colorOf = colorIndices(graph.functions.columns());
    }
    look.marked = marks?.functions ?? null;
    look.markedBefore = marks?.before ?? null;
  };
  const viewChanged = graph.changed;
  graph.changed = () => {
    refresh();
    viewChanged();
  };
  let first = true;
  graph.replaced = () => {
    refresh();
    tooltip.hide();
    // A range that this view wrote is that of the tree before.
    if (!first && saved !== " " && inAddress() === saved) {
      view.showAll();
      save();
    } else {
      view.showAll();
      restore();
    }
    first = false;
    view.redraw();
  };
  const stop: (() => void)[] = [
    effect(() => {
      const { expression } = search.value;
      void graph.find(expression && { source: expression.source, flags: expression.flags });
    }),
    effect(() => {
      look.colors = graph.colors();
      view.redraw();
    }),
    // Back and Forward move within the same tree.
    effect(() => {
      if (address.value && !first && inAddress() !== saved) restore();
    }),
  ];

  let at = -1;
  const hit = signal(-1);
  const marks = computed(() => graph.state.value.marks);
  const visitHit = (by: 1 | -1): void => {
    const hits = graph.state.peek().marks?.hits;
    if (!hits || hits.length === 0) return;
    at = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    hit.value = at;
    view.visit(hits[at]);
  };
  stop.push(
    marks.subscribe(() => {
      at = -1;
      hit.value = -1;
    }),
  );
  return {
    handle: { view, graph, visitHit, hit },
    end: () => {
      for (const one of stop) one();
      view.end();
      tooltip.root.remove();
    },
  };
}
