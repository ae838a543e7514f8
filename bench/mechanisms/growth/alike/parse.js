// Lines are split, mapped and joined.
const n = Number(process.argv[2]);
let sum = 0;
for (let i = 0; i < n; i++) {
  const row = ('id-' + i + ',name,' + i * 3 + ',x').split(',').map((s) => s.trim());
  const more = [...row, String(i)];
  sum += more.includes('x') ? more.join(';').length : 0;
}
console.log(sum);
