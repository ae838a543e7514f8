// The address of the page: everything that a link carries. It knows neither the
// browser nor the server.

export const DIMENSIONS = ["service", "version", "host", "container", "process"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const VIEWS = [
  "overview",
  "top",
  "flame",
  "reverse",
  "sandwich",
  "callgraph",
  "lines",
  "compare",
  "findings",
  "settings",
] as const;
export type ViewName = (typeof VIEWS)[number];

// Filters narrow every view: a list means any of its values, an empty one all.
export type Filters = Readonly<Partial<Record<Dimension, readonly string[]>>>;

export interface Address {
  readonly view: ViewName;
  readonly project: string; // "" is the token's own
  readonly from: string; // as the API takes times: now-1h, RFC 3339
  readonly to: string;
  readonly filters: Filters;
  readonly where: string; // a condition on any labels, as the API takes it
  readonly query: string; // what is searched, a regular expression
  readonly fn: number; // the function that a view is about, as the API numbers them; 0 for none
  readonly exact: boolean; // no answers from the ladder
  readonly ownCode: boolean; // what others do counts for the program's functions that call them
  readonly theme: "" | "light" | "dark";
  // What only one view knows, by a name that begins with the view's own and a dot.
  readonly own: Readonly<Record<string, string>>;
}

export const HOME: Address = {
  view: "overview",
  project: "",
  from: "now-1h",
  to: "now",
  filters: {},
  where: "",
  query: "",
  fn: 0,
  exact: false,
  ownCode: false,
  theme: "",
  own: {},
};

// formatAddress leaves out what HOME has. Example: /top?from=now-24h&service=web&q=%5Emem
export function formatAddress(a: Address): string {
  const p = new URLSearchParams();
  if (a.project !== "") p.set("project", a.project);
  if (a.from !== HOME.from) p.set("from", a.from);
  if (a.to !== HOME.to) p.set("to", a.to);
  for (const d of DIMENSIONS) for (const value of a.filters[d] ?? []) p.append(d, value);
  if (a.where !== "") p.set("where", a.where);
  if (a.query !== "") p.set("q", a.query);
  if (a.fn !== 0) p.set("fn", String(a.fn));
  if (a.exact) p.set("exact", "true");
  if (a.ownCode) p.set("own", "true");
  if (a.theme !== "") p.set("theme", a.theme);
  for (const name of Object.keys(a.own).sort()) p.set(name, a.own[name]);
  const query = p.toString();
  return `/${a.view === HOME.view ? "" : a.view}${query === "" ? "" : `?${query}`}`;
}

export function parseAddress(path: string, query: string): Address {
  const p = new URLSearchParams(query);
  const name = path.replace(/^\/+/, "").replace(/\/+$/, "");
  const theme = p.get("theme");
  const filters: Partial<Record<Dimension, readonly string[]>> = {};
  for (const d of DIMENSIONS) {
    const values = [...new Set(p.getAll(d))];
    if (values.length > 0) filters[d] = values;
  }
  const own: Record<string, string> = {};
  for (const [key, value] of p) if (key.includes(".")) own[key] = value;
  const fn = Number(p.get("fn") ?? 0);
  return {
    view: VIEWS.find((v) => v === name) ?? HOME.view,
    project: p.get("project") ?? "",
    from: p.get("from") ?? HOME.from,
    to: p.get("to") ?? HOME.to,
    filters,
    where: p.get("where") ?? "",
    query: p.get("q") ?? "",
    fn: Number.isSafeInteger(fn) && fn > 0 ? fn : 0,
    exact: p.get("exact") === "true",
    ownCode: p.get("own") === "true",
    theme: theme === "light" || theme === "dark" ? theme : "",
    own,
  };
}

// selection gives the parameters that every question about samples takes.
export function selection(a: Address): Parameters {
  const out: Parameters = { from: a.from, to: a.to };
  for (const d of DIMENSIONS) {
    const values = a.filters[d];
    if (values && values.length > 0) out[d] = values;
  }
  if (a.where !== "") out.where = a.where;
  if (a.exact) out.exact = true;
  return out;
}

// OF_FUNCTIONS are the views that show functions by what they weigh.
export const OF_FUNCTIONS: readonly ViewName[] = [
  "top",
  "flame",
  "reverse",
  "sandwich",
  "callgraph",
  "compare",
];

// functionSelection gives those of questions about what functions weigh.
export function functionSelection(a: Address): Parameters {
  return a.ownCode ? { ...selection(a), own: true } : selection(a);
}

// UNFILTERED takes every filter away but the time.
export const UNFILTERED = { filters: {}, where: "" } as const;

export function isFiltered(a: Address): boolean {
  return a.where !== "" || DIMENSIONS.some((d) => a.filters[d] !== undefined);
}

export type Parameters = Record<string, string | number | boolean | readonly string[] | undefined>;
