// A table of which only the rows in view are in the document (TanStack Virtual), as an
// ARIA grid: one stop of the Tab key, arrows go from row to row.

import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/virtual-core";
import { createContext, type ComponentChildren } from "preact";
import {
  useCallback,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "preact/hooks";
import { search } from "../state/search";
import { useStep } from "./searching";

export interface Column<T> {
  readonly name: string; // as sort names it
  readonly title: ComponentChildren;
  readonly hint?: string;
  readonly width: string; // of a CSS grid: "90px", "minmax(160px, 1fr)"
  readonly class?: string; // "number" aligns to the right
  readonly sorts?: "descending" | "ascending"; // at the first click; none: it cannot
  readonly wide?: boolean; // left out where the window is narrow
  readonly cell: (row: T) => ComponentChildren;
}

export interface Sort {
  readonly by: string;
  readonly direction: "descending" | "ascending";
}

interface Props<T> {
  readonly label: string; // what the table lists
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  readonly rowHeight?: number;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  readonly selected?: string | number;
  readonly onSelect?: (row: T) => void;
  readonly onOpen?: (row: T) => void; // double click, Enter
  readonly onControl?: (row: T) => void; // ctrl-click, ctrl-Enter
  readonly onMenu?: (e: MouseEvent, row: T) => void;
  readonly onVisible?: (rows: readonly T[]) => void; // what is in view changed
  readonly rowClass?: (row: T) => string;
  readonly empty?: ComponentChildren;
}

const ROW = 28; // pixels
const OVERSCAN = 6;
const MENU_INSET = 16; // pixels from the row's left, where a menu opens by key

const InGrid = createContext(false);

// useInGrid tells what is inside a cell to be no stop of its own.
export function useInGrid(): boolean {
  return useContext(InGrid);
}

export function Table<T>(props: Props<T>) {
  const { rows, keyOf } = props;
  const wide = useWide();
  const columns = wide ? props.columns : props.columns.filter((c) => c.wide !== true);
  const height = props.rowHeight ?? ROW;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const [current, setCurrent] = useState(0);
  const virtual = useRef<Virtualizer<HTMLDivElement, HTMLDivElement>>(null);
  virtual.current ??= new Virtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    overscan: OVERSCAN,
    onChange: () => {
      redraw((n) => n + 1);
    },
  });
  const v = virtual.current;
  v.setOptions({ ...v.options, count: rows.length, estimateSize: () => height });
  useLayoutEffect(() => v._didMount(), [v]);
  useLayoutEffect(() => {
    v._willUpdate();
  });
  useEffect(() => {
    v.measure();
  }, [v, height]);

  const items = v.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items[items.length - 1]?.index ?? -1;
  useEffect(() => {
    props.onVisible?.(rows.slice(first, last + 1));
  }, [rows, first, last]);

  const chosen = props.selected;
  useEffect(() => {
    if (chosen === undefined) return;
    const at = rows.findIndex((r) => keyOf(r) === chosen);
    if (at >= 0) setCurrent(at);
  }, [rows, chosen]);
  const at = Math.min(current, rows.length - 1);

  const move = (to: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setCurrent(next);
    v.scrollToIndex(next);
    if (rows.length > 0) props.onSelect?.(rows[next]);
  };
  // All rows are hits where a search narrows them.
  const stepped = useRef(move);
  stepped.current = (by) => {
    if (search.value.expression !== null && rows.length > 0)
      move((at + by + rows.length) % rows.length);
  };
  useStep(
    useCallback((by) => {
      stepped.current(by);
    }, []),
  );
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.target !== scroller.current || e.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / height) - 2);
    const to: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      s: at + 1,
      w: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    const command = e.ctrlKey || e.metaKey;
    if (e.key === "Enter" && rows.length > 0) {
      (command ? props.onControl : props.onOpen)?.(rows[at]);
    } else if (e.key in to && !command) move(to[e.key]);
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  const template = columns.map((c) => c.width).join(" ");
  return (
    <div class="grid">
      <div
        ref={scroller}
        class="grid-scroller"
        role="grid"
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length}
        aria-activedescendant={at >= first && at <= last ? `${id}-${at}` : undefined}
        onKeyDown={onKeyDown}
        onContextMenu={(e) => {
          // The key for menus is pressed in the grid: it means the current row.
          const row = document.getElementById(`${id}-${at}`);
          if (e.target !== scroller.current || e.button === 2 || !row) return;
          e.preventDefault();
          const { left, bottom } = row.getBoundingClientRect();
          const there = { clientX: left + MENU_INSET, clientY: bottom };
          row.dispatchEvent(new MouseEvent("contextmenu", { ...there, cancelable: true }));
        }}
      >
        <div class="grid-row grid-head" role="row" style={{ gridTemplateColumns: template }}>
          {columns.map((c) => (
            <Head key={c.name} column={c} sort={props.sort} onSort={props.onSort} />
          ))}
        </div>
        <InGrid.Provider value={true}>
          <div class="grid-rows" role="rowgroup" style={{ height: `${v.getTotalSize()}px` }}>
            {items.map((item) => {
              const row = rows[item.index];
              if (row === undefined) return null;
              const key = keyOf(row);
              return (
                <div
                  key={key}
                  id={`${id}-${item.index}`}
                  role="row"
                  aria-rowindex={item.index + 2}
                  aria-selected={key === chosen}
                  class={`grid-row ${item.index === at ? "current" : ""} ${props.rowClass?.(row) ?? ""}`}
                  style={{
                    gridTemplateColumns: template,
                    height: `${height}px`,
                    transform: `translateY(${item.start}px)`,
                  }}
                  onClick={(e) => {
                    if (e.defaultPrevented) return;
                    setCurrent(item.index);
                    if (e.ctrlKey || e.metaKey) props.onControl?.(row);
                    else props.onSelect?.(row);
                  }}
                  onDblClick={(e) => {
                    if (!e.defaultPrevented) props.onOpen?.(row);
                  }}
                  onContextMenu={(e) => {
                    props.onMenu?.(e, row);
                  }}
                >
                  {columns.map((c) => (
                    <div key={c.name} role="gridcell" class={`cell ${c.class ?? ""}`}>
                      {c.cell(row)}
                    </div>
                  ))}
                </div>
              );
            })}
          </div>
        </InGrid.Provider>
        {rows.length === 0 && props.empty}
      </div>
    </div>
  );
}

const WIDE = window.matchMedia("(min-width: 901px)");

function useWide(): boolean {
  const [wide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const change = (): void => {
      setWide(WIDE.matches);
    };
    WIDE.addEventListener("change", change);
    return () => {
      WIDE.removeEventListener("change", change);
    };
  }, []);
  return wide;
}

interface HeadProps<T> {
  readonly column: Column<T>;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

function Head<T>({ column, sort, onSort }: HeadProps<T>) {
  const sorted = sort?.by === column.name ? sort.direction : undefined;
  const begin = column.sorts;
  return (
    <div
      role="columnheader"
      class={`cell ${column.class ?? ""}`}
      title={column.hint}
      aria-sort={begin === undefined ? undefined : (sorted ?? "none")}
    >
      {begin !== undefined && onSort ? (
        <button
          type="button"
          class="link"
          onClick={() => {
            const other = sorted === "descending" ? "ascending" : "descending";
            onSort({ by: column.name, direction: sorted === undefined ? begin : other });
          }}
        >
          {column.title}
          {sorted !== undefined && (
            <span aria-hidden="true">{sorted === "descending" ? " ▾" : " ▴"}</span>
          )}
        </button>
      ) : (
        column.title
      )}
    </div>
  );
}
