'use strict';
function count(cells, w, h, x, y) {
  let n = 0;
  for (let dy = -1; dy <= 1; dy++) {
    for (let dx = -1; dx <= 1; dx++) {
      if (dx === 0 && dy === 0) continue;
      n += cells[((y + dy + h) % h) * w + ((x + dx + w) % w)];
    }
  }
  return n;
}
function next(cells, w, h) {
  const out = new Uint8Array(w * h);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const n = count(cells, w, h, x, y);
      out[y * w + x] = n === 3 || (n === 2 && cells[y * w + x]) ? 1 : 0;
    }
  }
  return out;
}
let cells = new Uint8Array(400 * 300);
for (let i = 0; i < cells.length; i++) cells[i] = (i * 7919) % 5 === 0 ? 1 : 0;
for (let i = 0; i < 120; i++) cells = next(cells, 400, 300);
console.log(cells.reduce((a, b) => a + b, 0));
