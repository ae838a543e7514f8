// The range of a layout that is in view: how far it may be zoomed and moved, and
// how it glides there. What is drawn in it is no concern of its.

export interface Range {
  readonly from: number; // fractions of the whole width
  readonly to: number;
}

const ANIMATION_MS = 160;
const SMALLEST_SPAN = 1e-9; // of the total: below it floating point blurs

export class InView {
  from = 0;
  to = 1;
  private motion = 0; // a later one ends an earlier one

  constructor(
    private readonly total: () => number,
    private readonly moved: () => void, // on each step of the way
    private readonly settled: () => void,
  ) {}

  get span(): number {
    return this.to - this.from;
  }

  // range is what is in view as fractions of the whole.
  get range(): Range {
    const total = this.total() || 1;
    return { from: this.from / total, to: this.to / total };
  }

  set range(r: Range) {
    this.from = r.from * this.total();
    this.to = r.to * this.total();
  }

  // showAll has everything in view.
  showAll(): void {
    this.from = 0;
    this.to = Math.max(this.total(), Number.MIN_VALUE);
  }

  // zoomed is the range after zooming around a fraction of the width.
  zoomed(factor: number, at: number): [number, number] {
    const total = this.total();
    const next = Math.min(total, Math.max(this.span / factor, total * SMALLEST_SPAN));
    const pivot = this.from + this.span * at;
    return [pivot - next * at, pivot + next * (1 - at)];
  }

  // moveTo glides to a range, clamped to the whole.
  moveTo(from: number, to: number): void {
    const total = this.total();
    const span = Math.min(total, to - from);
    const target = Math.max(0, Math.min(total - span, from));
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.glide(target, target + span, calm ? 0 : ANIMATION_MS);
  }

  // jump is at a range at once.
  jump(from: number, to: number): void {
    this.motion++;
    const span = to - from;
    this.from = Math.max(0, Math.min(this.total() - span, from));
    this.to = this.from + span;
  }

  private glide(from: number, to: number, milliseconds: number): void {
    const id = ++this.motion;
    const fromStart = this.from;
    const toStart = this.to;
    const begin = performance.now();
    const tick = (now: number): void => {
      if (id !== this.motion) return;
      const t = milliseconds === 0 ? 1 : Math.min(1, Math.max(0, (now - begin) / milliseconds));
      const e = 1 - (1 - t) ** 3;
      this.from = fromStart + (from - fromStart) * e;
      this.to = toStart + (to - toStart) * e;
      if (t < 1) requestAnimationFrame(tick);
      else {
        this.from = from;
        this.to = to;
        this.settled();
      }
      this.moved();
    };
    tick(begin);
  }
}
