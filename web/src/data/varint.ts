// Base-128 varints: seven bits a byte, the lowest first, as encoding/binary of Go and
// protocol buffers have them.

import { DamagedData } from "./profile";

export class VarintReader {
  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
  ) {}

  column(out: Int32Array): Int32Array {
    for (let i = 0; i < out.length; i++) out[i] = this.next();
    return out;
  }

  floats(out: Float64Array, scale: number): Float64Array {
    for (let i = 0; i < out.length; i++) out[i] = this.next() * scale;
    return out;
  }

  signedColumn(out: Float64Array): Float64Array {
    for (let i = 0; i < out.length; i++) {
      const z = this.next();
      out[i] = z % 2 === 0 ? z / 2 : -(z + 1) / 2;
    }
    return out;
  }

  // Multiplies instead of shifting: nanoseconds outgrow 32 bits.
  next(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const b = this.bytes[this.at++];
      if (b === undefined) throw new DamagedData("the data block is cut short in the tree");
      if (b < 0x80) return value + b * scale;
      value += (b & 0x7f) * scale;
      scale *= 128;
    }
  }
}
