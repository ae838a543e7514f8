// What a search found in one part of the view, as the part tells the view.

export interface Hits {
  readonly lines: number;
  readonly self: number; // what ran in them
}

export type Report = (part: string, hits: Hits) => void;
