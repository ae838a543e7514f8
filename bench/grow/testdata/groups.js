// Groups events by spreading the list so far into a new one.
function events(n) {
  const out = [];
  for (let i = 0; i < n; i++) out.push({ id: i, name: "event " + (i % 97) });
  return out;
}

function collect(list) {
  return list.reduce((all, e) => [...all, e.name.toUpperCase()], []); // GROWS
}

const all = collect(events(Number(process.argv[2])));
console.log(all.length, JSON.stringify(all).length);
