// What is painted as a flame graph: a tree that the worker holds, and what the page knows
// of it. Graph is one of the server's trees, DifferenceSource two as one.

import { signal, type ReadonlySignal } from "@preact/signals";
import { ApiError } from "../../api/client";
import type { Basis } from "../../../data/columns";
import type { Layout } from "../../../data/layout";
import type { Marks } from "../../../data/marks";
import type { Colors } from "../../../draw/painter";
import type { Place } from "../../../graph/flameview";
import { nothing, type LayoutSource } from "../../../graph/source";
import type { FrameText } from "../../../graph/tooltip";
import type { Prices } from "../prices";
import { newGraph, tell } from "./client";
import { FunctionTable } from "./functions";
import type { Pattern } from "./messages";

export interface GraphState {
  readonly basis: Basis | null; // null before the first answer
  readonly marks: Marks | null;
  readonly complete: boolean;
  readonly nodes: number;
  readonly busy: boolean; // the first picture is on its way
  readonly filling: boolean; // more of the tree is
  readonly error: ApiError | null;
  readonly version: number; // of the question that the picture answers
}

export abstract class Tree implements LayoutSource {
  layout: Layout = nothing();
  changed: () => void = () => undefined;
  // replaced is called when the picture is that of another question.
  replaced: () => void = () => undefined;
  prices: Prices | null = null;
  readonly functions = new FunctionTable();

  protected readonly number = newGraph();
  protected turn = 0; // counts questions: what answers an older one is dropped
  protected giveUp: () => void = () => undefined;
  protected search: Pattern | null = null;
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

  abstract show(from: number, to: number, pixels: number): void;
  abstract colors(): Colors;
  abstract describe(place: Place): FrameText | null;

  async find(search: Pattern | null): Promise<void> {
    this.search = search;
    const { turn, layout } = this;
    if (!this.current.peek().basis) return;
    const marks = await tell<"search">(this.number, { kind: "search", search });
    if (turn !== this.turn || layout !== this.layout || search !== this.search) return;
    this.set({ marks });
    this.changed();
  }

  cancel(): void {
    this.giveUp();
  }

  // end lets the worker forget the tree.
  end(): void {
    this.turn++;
    this.giveUp();
    void tell<"close">(this.number, { kind: "close" });
  }

  protected set(change: Partial<GraphState>): void {
    this.current.value = { ...this.current.peek(), ...change };
  }
}

export const bytesOf = async (r: Response): Promise<ArrayBuffer> => r.arrayBuffer();

export function asApiError(e: unknown): ApiError {
  if (e instanceof ApiError) return e;
  if (e instanceof DOMException && e.name === "AbortError") {
    return new ApiError(0, "cancelled", "Cancelled.", "", 0);
  }
  return new ApiError(0, "page", e instanceof Error ? e.message : String(e), "", 0);
}
