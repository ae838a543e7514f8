// Each line is parsed: it is the data.
const lines = Array.from({ length: 2000 }, (_, i) => JSON.stringify({ id: i, tags: ['a', 'b'], at: new Date(i * 1e6) }))
let n = 0
for (let k = 0; k < 700; k++) for (const l of lines) n += JSON.parse(l).tags.length
console.log(n)
