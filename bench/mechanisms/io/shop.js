// Looks an item up in SQLite-like pages of a file by random reads of 4 KiB: each read is another page.
const fs = require('fs');
const fd = fs.openSync(process.argv[2], 'r');
const pages = Math.floor(fs.fstatSync(fd).size / 4096), page = Buffer.alloc(4096);
let seed = 1, sum = 0;
function look(n) { fs.readSync(fd, page, 0, 4096, n * 4096); let s = 0; for (let i = 0; i < 4096; i++) s += page[i]; return s; }
for (let i = 0; i < Number(process.argv[3]); i++) { seed = (seed * 1103515245 + 12345) % 2147483648; sum += look(seed % pages); }
console.log(sum);
