// Sides of the pairs of catalog/tables: libraries.cjs SIDE TIMES.
'use strict';
const records = (n) => Array.from({ length: n }, (_, i) => ({ id: i, name: `item ${i}`, price: i * 1.25, tags: ['a', `t${i % 7}`], at: { city: `c${i % 50}`, open: i % 2 === 0 } }));
const repeat = (n, f) => { let s = 0; for (let i = 0; i < n; i++) s += f(i); return s; };
const yamlText = () => records(400).map((r) => `- id: ${r.id}\n  name: ${r.name}\n  price: ${r.price}\n  tags: [a, b]\n  at:\n    city: ${r.at.city}\n    open: true\n`).join('');
const tomlText = () => records(400).map((r) => `[t${r.id}]\nname = "${r.name}"\nprice = ${r.price + 0.5}\ntags = ["a", "b"]\n`).join('\n');
const csvText = () => 'id,name,price,city\n' + records(20000).map((r) => `${r.id},"${r.name}",${r.price},${r.at.city}`).join('\n') + '\n';
const words = () => records(1200).map((r) => `${r.name} of ${r.at.city} number ${r.id * 7919 % 1201}`);
const page = () => '<div><h1>Shop</h1><table>' + records(600).map((r) => `<tr class="row"><td>${r.id}</td><td><a href="/${r.id}">${r.name}</a></td><td>${r.price}</td></tr>`).join('') + '</table></div>';
const markdown = () => records(150).map((r) => `## ${r.name}\n\nSome *text* with [a link](/x/${r.id}) and \`code\`.\n\n- one\n- two **bold**\n`).join('\n');
const shape = { type: 'object', required: ['id', 'name', 'price', 'tags', 'at'], properties: { id: { type: 'integer' }, name: { type: 'string' }, price: { type: 'number' }, tags: { type: 'array', items: { type: 'string' } }, at: { type: 'object', required: ['city', 'open'], properties: { city: { type: 'string' }, open: { type: 'boolean' } } } } };
const zodShape = (z) => z.object({ id: z.number().int(), name: z.string(), price: z.number(), tags: z.array(z.string()), at: z.object({ city: z.string(), open: z.boolean() }) });
const css = () => records(500).map((r) => `.a${r.id} > b { color: #ff${String(r.id % 90 + 10)}00; margin: 0 ${r.id % 9}px 0 0; }`).join('\n');

const sides = {
  'yaml-yaml': () => { const y = require('yaml'), t = yamlText(); return repeat(1, () => y.parse(t).length); },
  'yaml-js-yaml': () => { const y = require('js-yaml'), t = yamlText(); return repeat(1, () => y.load(t).length); },
  'json5': () => { const j = require('json5'), t = JSON.stringify(records(1500)); return j.parse(t).length; },
  'json': () => { const t = JSON.stringify(records(1500)); return JSON.parse(t).length; },
  'bigint-package': () => { const j = require('json-bigint'), t = JSON.stringify(records(1500)); return repeat(4, () => j.parse(t).length); },
  'bigint-checked': () => { const j = require('json-bigint'), t = JSON.stringify(records(1500)); return repeat(4, () => (/\d{16}/.test(t) ? j : JSON).parse(t).length); },
  'toml-iarna': () => { const y = require('@iarna/toml'), t = tomlText(); return Object.keys(y.parse(t)).length; },
  'toml-smol': () => { const y = require('smol-toml'), t = tomlText(); return Object.keys(y.parse(t)).length; },
  'csv-parse': () => { const { parse } = require('csv-parse/sync'), t = csvText(); return parse(t, { columns: true }).length; },
  'csv-papaparse': () => { const p = require('papaparse'), t = csvText(); return p.parse(t, { header: true, skipEmptyLines: true }).data.length; },
  'csv-udsv': () => { const { inferSchema, initParser } = require('udsv'), t = csvText(); return initParser(inferSchema(t)).stringObjs(t).length; },
  'msgpack-lite': () => { const m = require('msgpack-lite'), r = records(1500); return repeat(3, () => m.decode(m.encode(r)).length); },
  'msgpackr': () => { const { Packr } = require('msgpackr'), p = new Packr({ useRecords: false }), r = records(1500); return repeat(3, () => p.unpack(p.pack(r)).length); },
  'cbor': () => { const c = require('cbor'), r = records(300); return c.decodeFirstSync(c.encodeOne(r, { highWaterMark: 1e6 })).length; },
  'cbor-x': () => { const { Encoder } = require('cbor-x'), e = new Encoder({ useRecords: false, mapsAsObjects: true }), r = records(300); return e.decode(e.encode(r)).length; },
  'joi': () => { const J = require('joi'), s = J.object({ id: J.number().integer(), name: J.string(), price: J.number(), tags: J.array().items(J.string()), at: J.object({ city: J.string(), open: J.boolean() }) }); return records(1500).filter((r) => !s.validate(r).error).length; },
  'ajv': () => { const A = require('ajv'), c = new A().compile(shape); return records(1500).filter((r) => c(r)).length; },
  'zod3': () => { const s = zodShape(require('zod').z); return records(4000).filter((r) => s.safeParse(r).success).length; },
  'zod4': () => { const s = zodShape(require('zod4').z); return records(4000).filter((r) => s.safeParse(r).success).length; },
  'jsdom': () => { const { JSDOM } = require('jsdom'), d = new JSDOM(page()).window.document; return d.querySelectorAll('tr.row a').length; },
  'linkedom': () => { const { parseHTML } = require('linkedom'), d = parseHTML(`<html><body>${page()}</body></html>`).document; return d.querySelectorAll('tr.row a').length; },
  'turndown': () => { const T = require('turndown'); return new T().turndown(page()).length; },
  'node-html-markdown': () => { const { NodeHtmlMarkdown } = require('node-html-markdown'); return new NodeHtmlMarkdown().translate(page()).length; },
  'micromark': () => import(require('path').join(process.env.NODE_PATH, 'micromark/index.js')).then(({ micromark }) => micromark(markdown()).length),
  'markdown-it': () => { const m = require('markdown-it')(); return m.render(markdown()).length; },
  'highlight-auto': () => { const h = require('highlight.js'); return repeat(2, (i) => h.highlightAuto(`const a${i} = (b) => b.map((x) => x * 2); // ${'text '.repeat(20)}\n`.repeat(4)).value.length); },
  'highlight-known': () => { const h = require('highlight.js'); return repeat(2, (i) => h.highlight(`const a${i} = (b) => b.map((x) => x * 2); // ${'text '.repeat(20)}\n`.repeat(4), { language: 'javascript' }).value.length); },
  'search-fuse': () => { const F = require('fuse.js'), f = new F(words()); return repeat(12, (i) => f.search(`item ${i} city`).length); },
  'search-ufuzzy': () => { const U = require('@leeoniya/ufuzzy'), u = new U(), w = words(); return repeat(12, (i) => (u.search(w, `item ${i} c`)[0] || []).length); },
  'distance-fast': () => { const l = require('js-levenshtein'), w = words().slice(0, 400); return repeat(400, (i) => repeat(400, (j) => l(w[i], w[j]))); },
  'distance-fastest': () => { const { distance } = require('fastest-levenshtein'), w = words().slice(0, 400); return repeat(400, (i) => repeat(400, (j) => distance(w[i], w[j]))); },
  'crc-crc': () => { const { crc32 } = require('crc'), b = Buffer.alloc(2e6, 'whyhot'); return repeat(6, () => crc32(b) % 97); },
  'crc-zlib': () => { const { crc32 } = require('zlib'), b = Buffer.alloc(2e6, 'whyhot'); return repeat(6, () => crc32(b) % 97); },
  'bn-bn': () => { const B = require('bn.js'); let a = new B(1); for (let i = 1; i < 2500; i++) a = a.muln(i + 1e5); return a.toString().length; },
  'bn-native': () => { let a = 1n; for (let i = 1; i < 2500; i++) a *= BigInt(i + 1e5); return a.toString().length; },
  'url-whatwg': () => { const { URL: U } = require('whatwg-url'); return repeat(8000, (i) => new U(`https://a.example:8080/x/${i}?q=${i}#t`).pathname.length); },
  'url-node': () => repeat(8000, (i) => new URL(`https://a.example:8080/x/${i}?q=${i}#t`).pathname.length),
  'minimatch-each': () => { const { minimatch } = require('minimatch'); return repeat(5000, (i) => +minimatch(`src/a${i}/b.test.js`, 'src/**/*.{test,spec}.js')); },
  'minimatch-once': () => { const { Minimatch } = require('minimatch'), m = new Minimatch('src/**/*.{test,spec}.js'); return repeat(5000, (i) => +m.match(`src/a${i}/b.test.js`)); },
  'proj4-each': () => { const p = require('proj4'); return repeat(4000, (i) => p('EPSG:4326', '+proj=utm +zone=32 +datum=WGS84', [9 + i / 1e4, 50])[0]); },
  'proj4-once': () => { const p = require('proj4')('EPSG:4326', '+proj=utm +zone=32 +datum=WGS84'); return repeat(4000, (i) => p.forward([9 + i / 1e4, 50])[0]); },
  'cssnano-clean': () => { const C = require('clean-css'); return new C({ level: 2 }).minify(css()).styles.length; },
  'cssnano-lightning': () => { const l = require('lightningcss'); return l.transform({ filename: 'a.css', code: Buffer.from(css()), minify: true }).code.length; },
  'cache-cloned': () => { const N = require('node-cache'), c = new N(); c.set('a', records(200)); return repeat(150, () => c.get('a').length); },
  'cache-shared': () => { const N = require('node-cache'), c = new N({ useClones: false }); c.set('a', records(200)); return repeat(150, () => c.get('a').length); },
};

(async () => {
  const side = sides[process.argv[2]];
  if (!side) { console.error(Object.keys(sides).join('\n')); process.exit(2); }
  let n = 0;
  for (let i = +(process.argv[3] || 1); i > 0; i--) n += await side();
  console.log(n);
})();
