// The rows of a flame graph as lines of pixels. A row looks the same at every height, so
// one line of it is filled in memory and the canvas stretches it: some fifty images a
// frame in place of tens of thousands of rectangles.

export type Color = number; // as a little-endian machine keeps RGBA

export class Lines {
  private readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private width = 0;

  constructor() {
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!context) throw new Error("this browser gives no 2D canvas");
    this.context = context;
  }

  // begin has so many lines of device pixels, all in one colour.
  begin(width: number, lines: number, background: Color): void {
    if (!this.image || this.width !== width || this.image.height < lines) {
      this.width = width;
      this.canvas.width = width;
      this.canvas.height = lines;
      this.image = this.context.createImageData(width, lines);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(background);
  }

  // fill paints the pixels [from, to) of a line, from and to within it.
  fill(line: number, from: number, to: number, color: Color): void {
    const at = line * this.width;
    if (to - from === 1) this.pixels[at + from] = color;
    else this.pixels.fill(color, at + from, at + to);
  }

  // end takes what was filled to where draw finds it.
  end(): void {
    if (this.image) this.context.putImageData(this.image, 0, 0);
  }

  // draw puts a line on a canvas whose unit is a device pixel.
  draw(to: CanvasRenderingContext2D, line: number, y: number, height: number): void {
    to.drawImage(this.canvas, 0, line, this.width, 1, 0, y, this.width, height);
  }
}

// pack reads a colour that a canvas gives back: #rrggbb. mix is how much of the other one
// is in it.
export function pack(color: string, other = color, mix = 0): Color {
  const a = channels(color);
  const b = channels(other);
  const [red, green, blue] = a.map((v, i) => Math.round(v * (1 - mix) + b[i] * mix));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}
