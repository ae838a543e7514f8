// A list is made longer with spread.
function collect(n) {
  let all = [];
  for (let i = 0; i < n; i++) {
    all = [...all, { id: i, text: 'row ' + i }]; // WASTE
  }
  return all;
}
console.log(collect(Number(process.argv[2])).length);
