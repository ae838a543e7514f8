// Asks for each request whether the site is closed; "mend" asks once a second at most.
const fs = require('fs');
const [how, n] = [process.argv[2], Number(process.argv[3])];
let asked = 0, closed = false;
function isClosed(now) {
  if (how === 'mend' && now - asked < 1000) return closed;
  asked = now;
  return closed = fs.existsSync('/tmp/mech-closed');
}
let served = 0;
for (let i = 0; i < n; i++) if (!isClosed(Date.now())) served += i % 7;
console.log(served);
