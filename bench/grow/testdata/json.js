// Makes, writes and reads JSON: linear, with much garbage.
const n = Number(process.argv[2]);
const list = [];
for (let i = 0; i < n; i++) list.push({ id: i, name: "item " + i, tags: ["a", "b" + (i % 10)], price: i / 7 });
const back = JSON.parse(JSON.stringify(list));
const byTag = new Map();
for (const item of back) for (const t of item.tags) byTag.set(t, (byTag.get(t) ?? 0) + 1);
console.log(back.length, byTag.size);
