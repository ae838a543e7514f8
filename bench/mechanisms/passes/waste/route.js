'use strict';
const stops = [];
for (let i = 0; i < 600; i++) stops.push({ id: 's' + i, x: (i * 37) % 101, y: (i * 53) % 97 });
const depots = [{ x: 1, y: 2 }, { x: 50, y: 60 }, { x: 90, y: 3 }];

function distances(list, home) {
  const out = new Map();
  for (const s of list) out.set(s.id, Math.hypot(s.x - home.x, s.y - home.y));
  return out;
}

function plan(orders) {
  let sum = 0;
  for (const order of orders) {
    const table = distances(stops, depots[0]);  // WASTE
    sum += table.get(order.stop) * order.weight;
  }
  return sum;
}
const orders = [];
for (let i = 0; i < 60000; i++) orders.push({ stop: 's' + (i * 13) % 600, weight: i % 9 + 1 });
console.log(plan(orders).toFixed(1));
