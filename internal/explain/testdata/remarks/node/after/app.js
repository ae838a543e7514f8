// All records have one shape.
function record(kind, i) {
  return { kind, value: i % 1000, weight: 3 };
}

function total(records) {
  let sum = 0;
  for (const r of records) sum += r.value * r.weight;
  return sum;
}

let sum = 0;
for (let round = 0; round < 600; round++) {
  const records = [];
  const kinds = 1 + Math.floor(round / 20);
  for (let i = 0; i < 300; i++) records.push(record(i % kinds, i));
  for (let again = 0; again < 100; again++) sum += total(records);
}
console.log(sum);
