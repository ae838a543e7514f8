// The page of a profile: one state, kept in the address, and what changes it.

import { basename, findFunctions, functionTotals, matchedWeight, search } from "../data/measure";
import { GROUP, type Profile } from "../data/profile";
import { colorIndices } from "../draw/palette";
import { Details } from "./details";
import type { FlameListener, FlameView, Look, Place } from "../graph/flameview";
import { defaultState, formatHash, parseHash, type State, type ViewName } from "./hash";
import { Help } from "./help";
import { listenToKeys, type Commands } from "./keys";
import { nameOfPlace, placeOfFinding, type FindingPlace } from "./finding";
import { applyTheme, systemTheme } from "../draw/theme";
import { Describer } from "./describe";
import { Tooltip } from "../graph/tooltip";
import { Toolbar } from "./toolbar";
import { Views } from "./views";

export class App {
  private readonly describe: Describer;
  private readonly look: Look;
  private readonly toolbar: Toolbar;
  private readonly details: Details;
  private readonly tooltip = new Tooltip();
  private readonly help = new Help();
  private readonly views: Views;
  private state: State;
  private finding: FindingPlace = { names: [], binary: "" };
  private selectedFunction = -1;

  constructor(
    private readonly profile: Profile,
    private readonly host: HTMLElement,
    wholePage: boolean,
  ) {
    const totals = functionTotals(profile.tree, profile.functions.count);
    this.describe = new Describer(profile, totals);
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
    this.views = new Views(profile, totals, this.describe, this.look, {
      flame: (withOwn) => this.listener(withOwn),
      open: (fn) => {
        this.open(fn);
      },
    });
    host.style.setProperty("--levels", String(this.views.levels));
    host.replaceChildren(
      this.toolbar.root,
      this.views.stage,
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
    this.views.current?.reset();
    this.mark();
    this.host.scrollIntoView({ block: "start" });
    this.views.focus();
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

  private commands(): Commands {
    const shown = (act: (v: FlameView) => void): void => {
      if (this.views.current) act(this.views.current);
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
        if (this.state.view === "top") this.views.top.move(rows);
        else
          shown((v) => {
            v.pan(columns, rows);
          });
      },
      arrow: (key) => {
        this.arrow(key);
      },
      enter: () => {
        if (this.state.view === "top") this.open(this.views.top.selectedFunction);
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
      this.views.top.move(key === "up" ? -1 : key === "down" ? 1 : 0);
      return;
    }
    const v = this.views.current;
    if (!v) return;
    if (key === "left" || key === "right") v.step(key);
    else v.step((key === "down") === v.rootBelow ? "shallower" : "deeper");
  }

  private openSelected(): void {
    const fn = this.state.view === "top" ? this.views.top.selectedFunction : this.selectedFunction;
    this.open(fn);
  }

  private open(fn: number): void {
    const f = this.profile.functions;
    if (fn < 0 || f.origin[fn] === GROUP) return;
    this.state.fn = `${f.name[fn]}@${basename(f.libraries[f.library[fn]])}`;
    this.state.range = { from: 0, to: 1 };
    this.tooltip.hide();
    this.setView("sandwich");
    this.views.showFunction(fn);
    this.views.focusCallees();
    this.save(true);
  }

  private switchTo(view: ViewName): void {
    if (view === this.state.view) return;
    this.tooltip.hide();
    this.state.range = { from: 0, to: 1 };
    this.setView(view);
    if (view === "sandwich") this.views.showFunction(this.functionOf(this.state.fn));
    this.views.focus();
    this.save(true);
  }

  private functionOf(text: string): number {
    if (text === "") return -1;
    const at = text.lastIndexOf("@");
    return findFunctions(this.profile.functions, [text.slice(0, at)], text.slice(at + 1)).indexOf(
      1,
    );
  }

  // setView puts a view on the stage.
  private setView(view: ViewName): void {
    this.state.view = view;
    this.toolbar.setView(view);
    this.details.clear();
    this.selectedFunction = -1;
    this.views.show(view);
    this.applyOrientation();
    this.views.current?.redraw();
  }

  private applyOrientation(): void {
    this.toolbar.setRootBelow(this.state.rootBelow);
    this.views.setRootBelow(this.state.rootBelow);
  }

  private setQuery(query: string, final: boolean): void {
    this.state.query = query;
    this.state.finding = "";
    this.mark();
    if (final) this.views.focus();
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
    this.views.top.setMarked(this.look.marked);
    this.toolbar.setResult(text, failed);
    this.views.redraw();
  }

  private retheme(): void {
    this.look.colors = applyTheme(this.state.theme || systemTheme());
    this.views.redraw();
  }

  private save(newEntry = false): void {
    const v = this.views.current;
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
    if (this.state.view === "sandwich") this.views.showFunction(this.functionOf(this.state.fn));
    this.retheme();
    this.mark();
    this.views.current?.setRange(range);
    this.views.current?.setSelected(selected);
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
