// Defaults are spread into the options of each call.
const defaults = { retries: 3, timeout: 1000, verbose: false };
function call(options, i) {
  const o = { ...defaults, ...options };
  let h = i;
  for (let k = 0; k < 40; k++) h = (h * 31 + o.timeout) | 0;
  return h + o.retries;
}
let sum = 0;
for (let i = 0; i < Number(process.argv[2]); i++) sum += call({ timeout: i }, i);
console.log(sum);
