// Builds a text, splits it, counts and sorts words: n log n.
const n = Number(process.argv[2]);
let text = "";
let x = 1;
for (let i = 0; i < n; i++) {
  x = (x * 69069 + 1) % 2147483648;
  text += "word" + (x >> 8) + " ";
}
const counts = new Map();
for (const w of text.split(" ")) counts.set(w, (counts.get(w) ?? 0) + 1);
const sorted = [...counts.entries()].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
console.log(sorted.length, sorted[0]);
