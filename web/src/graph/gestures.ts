// Wheel, mouse and touch on a canvas, turned into what they mean. Lengths are
// fractions of the canvas's width.

export interface GestureTarget {
  zoomAt(factor: number, at: number): void; // at stays where it is
  panBy(columns: number): void;
  scrollBy(pixels: number): void;
  settled(): void; // a movement has ended
  click(e: MouseEvent): void;
  point(e: MouseEvent | null): void; // hovering; null when there is nothing to point at
}

const CLICK_SLOP = 4; // pixels the pointer may move in a click
const SETTLE_MS = 200; // a wheel has no end event
const WHEEL_ZOOM = 0.005; // of e's exponent, a pixel of wheel
const CLOSEST_FINGERS = 8; // pixels; below it a pinch has no clear ratio

export class Gestures {
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private dragged = 0;
  private settleTimer = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly target: GestureTarget,
  ) {
    const on = <K extends keyof HTMLElementEventMap>(
      type: K,
      act: (e: HTMLElementEventMap[K]) => void,
    ): void => {
      canvas.addEventListener(type, act, { passive: false });
    };
    on("wheel", (e) => {
      this.wheel(e);
    });
    on("pointerdown", (e) => {
      this.down(e);
    });
    on("pointermove", (e) => {
      this.move(e);
    });
    on("pointerup", (e) => {
      this.up(e);
    });
    on("pointercancel", (e) => {
      this.pointers.delete(e.pointerId);
    });
    on("pointerleave", () => {
      target.point(null);
    });
    on("contextmenu", (e) => {
      if (e.ctrlKey) e.preventDefault(); // ctrl-click is the menu on some systems
    });
  }

  private fraction(clientX: number): number {
    const box = this.canvas.getBoundingClientRect();
    return (clientX - box.left) / box.width;
  }

  private wheel(e: WheelEvent): void {
    if (e.ctrlKey || e.metaKey) {
      this.target.zoomAt(Math.exp(-e.deltaY * WHEEL_ZOOM), this.fraction(e.clientX));
    } else if (e.deltaX !== 0 || e.shiftKey) {
      this.target.panBy((e.deltaX || e.deltaY) / this.canvas.clientWidth);
    } else {
      return; // the page scrolls
    }
    e.preventDefault();
    clearTimeout(this.settleTimer);
    this.settleTimer = window.setTimeout(() => {
      this.target.settled();
    }, SETTLE_MS);
  }

  private down(e: PointerEvent): void {
    if (e.button !== 0) return;
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    if (this.pointers.size === 1) this.dragged = 0;
  }

  private move(e: PointerEvent): void {
    const before = this.pointers.get(e.pointerId);
    if (!before) {
      this.target.point(e);
      return;
    }
    const now = { x: e.clientX, y: e.clientY };
    this.dragged += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (this.pointers.size === 2) this.pinch(e.pointerId, before, now);
    else if (this.dragged > CLICK_SLOP) {
      this.target.panBy((before.x - now.x) / this.canvas.clientWidth);
      this.target.scrollBy(before.y - now.y);
      this.target.point(null);
      this.canvas.classList.add("dragging");
    }
    this.pointers.set(e.pointerId, now);
  }

  // pinch zooms around the finger that rests.
  private pinch(id: number, before: { x: number }, now: { x: number }): void {
    let other = before;
    for (const [key, p] of this.pointers) if (key !== id) other = p;
    const spread = Math.abs(before.x - other.x);
    if (spread < CLOSEST_FINGERS) return;
    const factor = Math.max(CLOSEST_FINGERS, Math.abs(now.x - other.x)) / spread;
    this.target.zoomAt(factor, this.fraction(other.x));
  }

  private up(e: PointerEvent): void {
    this.canvas.classList.remove("dragging");
    if (!this.pointers.delete(e.pointerId)) return;
    if (this.dragged > CLICK_SLOP) this.target.settled();
    else this.target.click(e);
  }
}
