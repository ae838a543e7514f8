// What is painted as a flame graph: a tree that the worker holds, and what the page knows
// of it. Graph is one of the server's trees, DifferenceSource two as one.

import { signal, type ReadonlySignal } from "@preact/signals";
import { whenPassed } from "../../api/again";
import { ApiError, asApiError, passing, unreadable } from "../../api/error";
import { doubt } from "../../api/newer";
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
  private failures = 0; // in a row
  private forgetFailure: () => void = () => undefined;
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

  // retry asks the last question again.
  abstract retry(): void;
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
    this.begin();
    void tell<"close">(this.number, { kind: "close" });
  }

  // begin gives the next question its turn, and gives up the one before.
  protected begin(): number {
    this.forgetFailure();
    this.giveUp();
    return ++this.turn;
  }

  // before is what a new question leaves of the failure of the last one: what is asked again
  // by itself goes on to say why.
  protected before(): { error: ApiError | null } {
    const { error } = this.current.peek();
    return { error: error && passing(error) ? error : null };
  }

  protected failed(e: unknown): void {
    const error = asApiError(e);
    this.failures = this.before().error ? this.failures + 1 : 1;
    this.set({ busy: false, filling: false, error });
    if (passing(error)) {
      this.forgetFailure = whenPassed(error, this.failures, () => {
        this.retry();
      });
    }
  }

  protected set(change: Partial<GraphState>): void {
    this.current.value = { ...this.current.peek(), ...change };
  }
}

export const bytesOf = async (r: Response): Promise<ArrayBuffer> => r.arrayBuffer();

// unread is of an answer that the worker could not read.
export function unread(e: unknown): ApiError {
  if (e instanceof ApiError) return e;
  doubt();
  return unreadable(e instanceof Error ? e.message : String(e));
}
