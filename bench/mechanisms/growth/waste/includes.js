// Distinct names by includes.
function distinct(n) {
  const seen = [];
  for (let i = 0; i < n; i++) {
    const name = 'name-' + ((i * 7919) % n);
    if (!seen.includes(name)) seen.push(name); // WASTE
  }
  return seen.length;
}
console.log(distinct(Number(process.argv[2])));
