// A Map that is filled, and asked.
const n = Number(process.argv[2]);
const all = new Map();
for (let i = 0; i < n; i++) all.set('k' + ((i * 7919) % n), i);
let hits = 0;
for (let i = 0; i < n; i++) if (all.has('k' + i)) hits++;
console.log(hits);
