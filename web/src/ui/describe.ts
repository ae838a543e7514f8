// What is known of one frame, for the tooltip and the bar below the graph.

import { childSum, OTHERS } from "../data/layout";
import { shareError, type FunctionTotals } from "../data/measure";
import { GROUP, type Profile } from "../data/profile";
import { originLabel } from "../draw/palette";
import { amount, costs } from "../format/bill";
import { percent, percentError, quantity } from "../format/number";
import type { Place } from "../graph/flameview";
import type { FrameText } from "../graph/tooltip";

export class Describer {
  readonly total: number;

  constructor(
    private readonly profile: Profile,
    private readonly totals: FunctionTotals,
  ) {
    this.total = profile.tree.total[0] ?? 0;
  }

  share(value: number): string {
    const share = this.total > 0 ? value / this.total : 0;
    return `${percent(share)} ${percentError(shareError(share, this.profile.samples))}`;
  }

  amount(value: number): string {
    return quantity(value, this.profile.unit, this.profile.valueType);
  }

  // cost is what so much CPU costs, "" without prices.
  cost(value: number): string {
    const { bill } = this.profile;
    if (bill === null || this.total <= 0) return "";
    const share = value / this.total;
    const money = bill.money_per_year;
    const co2 = bill.co2_kg_per_year;
    const year = costs(
      money === undefined ? undefined : share * money,
      bill.currency ?? "",
      co2 === undefined ? undefined : share * co2,
    );
    return ` · ${amount(share * bill.cores)} cores · ${year} a year`;
  }

  source(fn: number, line: number): string {
    const f = this.profile.functions;
    const file = f.files[f.file[fn]];
    const at = line || f.line[fn];
    return file === "" ? "" : at > 0 ? `${file}:${at}` : file;
  }

  frame(place: Place, withOwn: boolean): FrameText {
    const { layout, node, level } = place;
    const fn = layout.fn[node];
    const width = layout.width[node];
    const here = `${this.share(width)} · ${this.amount(width)}${this.cost(width)}`;
    if (fn === OTHERS) {
      return {
        name: "functions too small to tell apart at this zoom",
        library: "",
        source: "",
        origin: "",
        here,
        own: "",
        everywhere: "",
      };
    }
    const f = this.profile.functions;
    const isCode = f.origin[fn] !== GROUP;
    return {
      name: f.name[fn],
      library: f.libraries[f.library[fn]],
      source: this.source(fn, layout.line?.[node] ?? 0),
      origin: isCode ? originLabel(f.origin[fn]) : "",
      here,
      own: withOwn ? this.share(width - childSum(layout, level, node)) : "",
      everywhere: isCode
        ? `self ${percent(this.totals.self[fn] / this.total)}, total ${percent(this.totals.total[fn] / this.total)}`
        : "",
    };
  }
}
