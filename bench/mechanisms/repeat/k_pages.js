// Own classes for each item are the program's own work.
class Template { constructor (text) { this.parts = text.split(/[{}]/); this.n = this.parts.map(p => p.trim().length) } render (v) { return this.parts.map((p, i) => i % 2 ? v[p] : p).join('') } }
function page (i) { return new Template(`<p>{a} of {b} ${i}</p>`).render({ a: i, b: 'x' }) }
let n = 0
for (let i = 0; i < 2500000; i++) n += page(i).length
console.log(n)
