// The views together: one state, kept in the address, and what changes it.

import { layoutOf } from "../data/layout";
import { leafSeeds } from "../data/merge";
import {
  basename,
  findFunctions,
  functionTotals,
  matchedWeight,
  search,
  type FunctionTotals,
} from "../data/measure";
import { GROUP, type Profile } from "../data/profile";
import { colorIndices } from "../draw/palette";
import { Labels } from "../draw/text";
import { Details } from "./details";
import { element } from "./dom";
import { FlameView, type FlameListener, type Look, type Place } from "./flameview";
import { defaultState, formatHash, parseHash, type State, type ViewName } from "./hash";
import { Help } from "./help";
import { listenToKeys, type Commands } from "./keys";
import { Sandwich } from "./sandwich";
import { nameOfPlace, placeOfFinding, type FindingPlace } from "./finding";
import { fixedSource, MergedSource } from "./source";
import { applyTheme, systemTheme } from "./theme";
import { Describer, Tooltip } from "./tooltip";
import { Toolbar } from "./toolbar";
import { TopView } from "./topview";

export class App {
  private readonly totals: FunctionTotals;
  private readonly describe: Describer;
  private readonly look: Look;
  private readonly toolbar: Toolbar;
  private readonly details: Details;
  private readonly tooltip = new Tooltip();
  private readonly help = new Help();
  private readonly stage = element("div", { class: "stage", id: "view", role: "tabpanel" });
  private readonly top: TopView;
  private readonly flame: FlameView;
  private reverse: FlameView | null = null;
  private sandwich: Sandwich | null = null;
  private state: State;
  private finding: FindingPlace = { names: [], binary: "" };
  private selectedFunction = -1;

  constructor(
    private readonly profile: Profile,
    private readonly host: HTMLElement,
    wholePage: boolean,
  ) {
    this.totals = functionTotals(profile.tree, profile.functions.count);
    this.describe = new Describer(profile, this.totals);
    this.state = this.defaults();
    this.look = {
      colors: applyTheme(systemTheme()),
      colorOf: colorIndices(profile.functions),
      marked: null,
    };
    const commands = this.commands();
    this.toolbar = new Toolbar(commands, (query, final) => {
      this.setQuery(query, final);
    });
    this.details = new Details(profile.functions, () => {
      this.openSelected();
    });
    this.top = new TopView(profile, this.totals, {
      open: (fn) => {
        this.open(fn);
      },
    });
    this.flame = this.flameView(
      "Flame graph, from callers to callees",
      fixedSource(layoutOf(profile.tree)),
    );
    host.style.setProperty("--levels", String(this.flame.layout.levels));
    host.replaceChildren(
      this.toolbar.root,
      this.stage,
      this.details.root,
      this.tooltip.root,
      this.help.root,
    );
    listenToKeys(host, wholePage, commands);
    window.addEventListener("hashchange", () => {
      this.restore();
    });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.retheme();
    });
    this.restore();
  }

  // has says whether a finding's place occurs in this profile.
  has(place: FindingPlace): boolean {
    return findFunctions(this.profile.functions, place.names, place.binary).includes(1);
  }

  // showFinding marks the frames of a finding in the flame graph.
  showFinding(id: string, place: FindingPlace): void {
    this.finding = place;
    this.state.finding = id;
    this.state.query = "";
    this.setView("flame");
    this.flame.reset();
    this.mark();
    this.host.scrollIntoView({ block: "start" });
    this.flame.canvas.focus({ preventScroll: true });
  }

  private readonly labels = (c: CanvasRenderingContext2D): Labels =>
    new Labels(this.profile.functions.name, c);

  private flameView(label: string, source: ConstructorParameters<typeof FlameView>[1]): FlameView {
    return new FlameView(
      label,
      source,
      this.labels,
      this.look,
      this.listener(label.startsWith("Flame")),
    );
  }

  private listener(withOwn: boolean): FlameListener {
    return {
      hover: (place, x, y) => {
        if (place) this.tooltip.show(this.describe.frame(place, withOwn), x, y);
        else this.tooltip.hide();
      },
      select: (place) => {
        this.select(place, withOwn);
      },
      open: (fn) => {
        this.open(fn);
      },
      moved: () => {
        this.save();
      },
    };
  }

  private select(place: Place | null, withOwn: boolean): void {
    this.selectedFunction = place ? place.layout.fn[place.node] : -1;
    if (place) this.details.show(this.describe.frame(place, withOwn));
    else this.details.clear();
  }

  // current is the flame view that keys act on.
  private get current(): FlameView | null {
    switch (this.state.view) {
      case "flame":
        return this.flame;
      case "reverse":
        return this.reverse;
      case "sandwich":
        return this.sandwich?.callers.canvas === document.activeElement
          ? this.sandwich.callers
          : (this.sandwich?.callees ?? null);
      case "top":
        return null;
    }
  }

  private commands(): Commands {
    const shown = (act: (v: FlameView) => void): void => {
      if (this.current) act(this.current);
    };
    return {
      view: (name) => {
        this.switchTo(name);
      },
      search: () => {
        this.toolbar.input.focus();
        this.toolbar.input.select();
      },
      reset: () => {
        this.tooltip.hide();
        this.unmark();
        shown((v) => {
          v.reset();
        });
        this.save();
      },
      zoomIn: () => {
        shown((v) => {
          v.zoomIn();
        });
      },
      zoomOut: () => {
        shown((v) => {
          v.zoomOut();
        });
      },
      pan: (columns, rows) => {
        if (this.state.view === "top") this.top.move(rows);
        else
          shown((v) => {
            v.pan(columns, rows);
          });
      },
      arrow: (key) => {
        this.arrow(key);
      },
      enter: () => {
        if (this.state.view === "top") this.open(this.top.selectedFunction);
        else
          shown((v) => {
            v.zoomToSelection();
          });
      },
      sandwich: () => {
        this.openSelected();
      },
      flip: () => {
        this.state.rootBelow = !this.state.rootBelow;
        this.applyOrientation();
        this.save();
      },
      copy: () => {
        this.details.copy();
      },
      theme: () => {
        this.state.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
        this.retheme();
        this.save();
      },
      help: () => {
        this.help.toggle();
      },
    };
  }

  private arrow(key: "up" | "down" | "left" | "right"): void {
    if (this.state.view === "top") {
      this.top.move(key === "up" ? -1 : key === "down" ? 1 : 0);
      return;
    }
    const v = this.current;
    if (!v) return;
    if (key === "left" || key === "right") v.step(key);
    else v.step((key === "down") === v.rootBelow ? "shallower" : "deeper");
  }

  private openSelected(): void {
    const fn = this.state.view === "top" ? this.top.selectedFunction : this.selectedFunction;
    this.open(fn);
  }

  private open(fn: number): void {
    const f = this.profile.functions;
    if (fn < 0 || f.origin[fn] === GROUP) return;
    this.state.fn = `${f.name[fn]}@${basename(f.libraries[f.library[fn]])}`;
    this.state.range = { from: 0, to: 1 };
    this.setView("sandwich");
    this.showSandwich(fn);
    this.sandwich?.callees.canvas.focus({ preventScroll: true });
    this.save(true);
  }

  private switchTo(view: ViewName): void {
    if (view === this.state.view) return;
    this.tooltip.hide();
    this.state.range = { from: 0, to: 1 };
    this.setView(view);
    if (view === "sandwich") this.showSandwich(this.functionOf(this.state.fn));
    this.current?.canvas.focus({ preventScroll: true });
    if (view === "top") this.top.focus();
    this.save(true);
  }

  private showSandwich(fn: number): void {
    const wanted = fn >= 0 ? fn : this.hottest();
    if (!this.sandwich || wanted < 0 || this.sandwich.fn === wanted) return;
    this.sandwich.show(wanted, this.totals.self[wanted], this.totals.total[wanted]);
  }

  private hottest(): number {
    const { origin, count } = this.profile.functions;
    let best = -1;
    for (let f = 0; f < count; f++) {
      if (origin[f] !== GROUP && (best < 0 || this.totals.self[f] > this.totals.self[best]))
        best = f;
    }
    return best;
  }

  private functionOf(text: string): number {
    if (text === "") return -1;
    const at = text.lastIndexOf("@");
    return findFunctions(this.profile.functions, [text.slice(0, at)], text.slice(at + 1)).indexOf(
      1,
    );
  }

  // setView puts a view on the stage; merged ones are made when first asked for.
  private setView(view: ViewName): void {
    this.state.view = view;
    this.toolbar.setView(view);
    this.stage.setAttribute("aria-labelledby", `tab-${view}`);
    this.details.clear();
    this.selectedFunction = -1;
    let shown: HTMLElement = this.top.root;
    if (view === "flame") {
      shown = this.flame.root;
    } else if (view === "reverse") {
      this.reverse ??= this.flameView(
        "Reverse: from the code that ran to its callers",
        new MergedSource(this.profile, leafSeeds(this.profile.tree), "callers", -1),
      );
      shown = this.reverse.root;
    } else if (view === "sandwich") {
      this.sandwich ??= new Sandwich(
        this.profile,
        this.describe,
        this.labels,
        this.look,
        this.listener(false),
      );
      shown = this.sandwich.root;
    }
    if (this.stage.firstChild !== shown) this.stage.replaceChildren(shown);
    this.applyOrientation();
    this.current?.redraw();
  }

  private applyOrientation(): void {
    this.toolbar.setRootBelow(this.state.rootBelow);
    this.flame.setRootBelow(this.state.rootBelow);
    this.reverse?.setRootBelow(this.state.rootBelow);
  }

  private setQuery(query: string, final: boolean): void {
    this.state.query = query;
    this.state.finding = "";
    this.mark();
    if (final) {
      if (this.state.view === "top") this.top.focus();
      else this.current?.canvas.focus({ preventScroll: true });
    }
    this.save();
  }

  private unmark(): void {
    this.toolbar.input.value = "";
    this.state.query = "";
    this.state.finding = "";
    this.mark();
  }

  // mark makes the search or the finding visible and says what share it touches.
  private mark(): void {
    let marked: Uint8Array | null = null;
    let text = "";
    let failed = false;
    if (this.state.query !== "") {
      const found = search(this.profile.functions, this.state.query);
      failed = found.error !== "";
      text = found.error;
      marked = found.marked;
      if (!failed) {
        const noun = found.functions === 1 ? "function" : "functions";
        text = `${found.functions} ${noun} · ${this.describe.share(matchedWeight(this.profile.tree, marked))}`;
      }
    } else if (this.state.finding !== "") {
      marked = findFunctions(this.profile.functions, this.finding.names, this.finding.binary);
      const share = this.describe.share(matchedWeight(this.profile.tree, marked));
      text = `${nameOfPlace(this.finding)} · ${share}`;
    }
    this.look.marked = failed ? null : marked;
    this.top.setMarked(this.look.marked);
    this.toolbar.setResult(text, failed);
    this.redraw();
  }

  private retheme(): void {
    this.look.colors = applyTheme(this.state.theme || systemTheme());
    this.redraw();
  }

  private redraw(): void {
    for (const v of [this.flame, this.reverse, this.sandwich?.callers, this.sandwich?.callees])
      v?.redraw();
  }

  private save(newEntry = false): void {
    const v = this.current;
    this.state.range = v ? v.range : { from: 0, to: 1 };
    this.state.selected = v ? v.selected : null;
    const hash = formatHash(this.state);
    if (hash === location.hash) return;
    if (newEntry) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  }

  private restore(): void {
    this.state = parseHash(location.hash, this.defaults());
    this.restoreFinding();
    this.toolbar.input.value = this.state.query;
    const { range, selected } = this.state;
    this.setView(this.state.view);
    if (this.state.view === "sandwich") this.showSandwich(this.functionOf(this.state.fn));
    this.retheme();
    this.mark();
    this.current?.setRange(range);
    this.current?.setSelected(selected);
  }

  private defaults(): State {
    return {
      ...defaultState(),
      view: this.profile.firstView,
      rootBelow: this.profile.rootBelow,
    };
  }

  private restoreFinding(): void {
    if (this.state.finding === "") return;
    const place = placeOfFinding(this.state.finding);
    if (place) this.finding = place;
    else this.state.finding = "";
  }
}
