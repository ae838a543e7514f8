// The layouts of merged trees, grown in slices between two frames.

import type { Layout } from "../data/layout";
import { grow, steps, Workspace, type Detail, type Direction, type Seeds } from "../data/merge";
import type { Profile } from "../data/profile";
import type { LayoutSource } from "../graph/source";

// Below this many steps a merged tree is grown in full at once: some 30 ms.
const AT_ONCE = 1_000_000;
const SLICE_MS = 5; // where the browser cannot say how much time is left
const PATIENCE_MS = 50; // growing goes on after this even if the page is busy

// whenIdle runs work in the time that drawing leaves.
function whenIdle(work: (timeLeft: () => boolean) => void): void {
  const slice = (): (() => boolean) => {
    const until = performance.now() + SLICE_MS;
    return () => performance.now() < until;
  };
  if ("requestIdleCallback" in window) {
    requestIdleCallback(
      (deadline) => {
        work(deadline.didTimeout ? slice() : () => deadline.timeRemaining() > 2);
      },
      { timeout: PATIENCE_MS },
    );
  } else {
    setTimeout(() => {
      work(slice());
    }, 0);
  }
}

export class MergedSource implements LayoutSource {
  layout: Layout;
  changed: () => void = () => undefined;
  private detail: Detail;
  private growing = false;
  private readonly workspace: Workspace;

  constructor(
    profile: Profile,
    seeds: Seeds,
    private readonly direction: Direction,
    private readonly root: number,
  ) {
    this.workspace = new Workspace(profile.tree, profile.functions, seeds);
    const small = steps(profile.tree, seeds, direction) <= AT_ONCE;
    this.detail = { from: 0, to: seeds.total, minimum: small ? 0 : Infinity };
    this.layout = finish(this.grow(this.detail));
  }

  // One job at a time, and none is thrown away: what it brings is shown, and
  // if the view has moved on by then, the painting of it asks again.
  show(from: number, to: number, pixels: number): void {
    const pixel = (to - from) / pixels;
    if (this.growing || covers(this.detail, from, to, pixel)) return;
    const span = to - from;
    this.growing = true;
    const detail = { from: from - span, to: to + span, minimum: pixel / 2 };
    this.work(this.grow(detail), detail);
  }

  private work(job: Generator<undefined, Layout>, detail: Detail): void {
    whenIdle((timeLeft) => {
      do {
        const r = job.next();
        if (r.done) {
          this.layout = r.value;
          this.detail = detail;
          this.growing = false;
          this.changed();
          return;
        }
      } while (timeLeft());
      this.work(job, detail);
    });
  }

  private grow(detail: Detail): Generator<undefined, Layout> {
    return grow(this.workspace, this.direction, this.root, detail);
  }
}

function covers(d: Detail, from: number, to: number, pixel: number): boolean {
  return d.minimum <= pixel && d.from <= from && d.to >= to;
}

function finish(work: Generator<undefined, Layout>): Layout {
  for (;;) {
    const r = work.next();
    if (r.done) return r.value;
  }
}
