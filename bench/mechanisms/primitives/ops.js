// OP LENGTH ROUNDS: an operation on a container of that length, once a round.
const [op, length, rounds] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const items = Array.from({ length }, (_, i) => i * 3 + 0.5);
const objects = items.map((id) => ({ id }));
const names = items.map((i) => "name " + i);
const table = Object.fromEntries(names.map((n) => [n, 1]));
const map = new Map(names.map((n) => [n, 1]));
const text = "xy".repeat(length);
const other = {};
let sink = 0;

function work(i) {
  other["k" + (i % 64)] = (other["k" + (i % 64)] || 0) + (i % 7);
}
const ops = {
  member(i) {
    return items.includes(-i); // WASTE member
  },
  texts(i) {
    return names.includes("name " + -i); // WASTE texts
  },
  index(i) {
    return items.indexOf(-i); // WASTE index
  },
  find(i) {
    return objects.find((o) => o.id === -i - 1); // WASTE find
  },
  findindex(i) {
    return objects.findIndex((o) => o.id === -i - 1); // WASTE findindex
  },
  some(i) {
    return objects.some((o) => o.id === -i - 1); // WASTE some
  },
  filter(i) {
    return objects.filter((o) => o.id === i).length; // WASTE filter
  },
  shift(i) {
    items.push(i);
    return items.shift(); // WASTE shift
  },
  front(i) {
    items.unshift(i); // WASTE front
    items.pop();
  },
  splice(i) {
    items.splice(length >> 1, 0, i); // WASTE splice
    items.pop();
  },
  spread(i) {
    return [...items, i].length; // WASTE spread
  },
  concat(i) {
    return items.concat([i]).length; // WASTE concat
  },
  slice(i) {
    return items.slice(1).length; // WASTE slice
  },
  object(i) {
    return { ...table, ["name " + i]: 1 }; // WASTE object
  },
  assign(i) {
    return Object.assign({}, table, { i }); // WASTE assign
  },
  keys(i) {
    return Object.keys(table).length; // WASTE keys
  },
  mapspread(i) {
    return [...map.values()].length; // WASTE mapspread
  },
  flat(i) {
    const grown = text + i;
    return grown.charCodeAt(length); // WASTE flat
  },
  joined(i) {
    return names.join(",").length; // WASTE joined
  },
  largest(i) {
    return Math.max(...items); // WASTE largest
  },
  parse(i) {
    return text.indexOf("q"); // WASTE parse
  },
  from(i) {
    return Array.from(map.keys()).length; // WASTE from
  },
  buffer(i) {
    return Buffer.concat([Buffer.from(text), Buffer.from("x")]).length; // WASTE buffer
  },
};
function all() {
  const run = ops[op];
  for (let i = 0; i < rounds; i++) {
    if (run(i)) sink++;
    work(i);
  }
}
all();
console.log(sink);
