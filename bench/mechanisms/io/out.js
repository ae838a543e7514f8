// Writes a row for each order with writeSync; "mend" writes them in blocks.
const fs = require('fs');
const [how, count] = [process.argv[2], Number(process.argv[3])];
const fd = fs.openSync('/tmp/mech-out.txt', 'w');
function row(i) { return `${i};${(i * 2654435761) % 1000};open\n`; }
function rows() { for (let i = 0; i < count; i++) fs.writeSync(fd, row(i)); }
function blocks() {
  let part = '';
  for (let i = 0; i < count; i++) { part += row(i); if (part.length > 65536) { fs.writeSync(fd, part); part = ''; } }
  fs.writeSync(fd, part);
}
how === 'mend' ? blocks() : rows();
