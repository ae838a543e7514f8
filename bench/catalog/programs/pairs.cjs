// Pairs of Node.js packages and habits: node pairs.cjs SIDE [TIMES]. run.py
// compares the CPU times of two sides. Packages are found by NODE_PATH.
'use strict';
const records = (n) => Array.from({ length: n }, (_, i) => ({ id: i, name: `user${i}`, score: i * 1.37, tags: ['a', 'b', String(i % 7)], nested: { x: i, y: [1, 2, 3.5] } }));
const pixels = (w, h) => { const b = Buffer.alloc(w * h * 4); for (let i = 0; i < b.length; i++) b[i] = (i * 2654435761) >>> 24; return b; };
const repeat = (n, f) => { let s = 0; for (let i = 0; i < n; i++) s += f(i); return s; };
const shapes = records(400);

async function server(make, paths) {
  const { Agent, request } = require('undici');
  const { port, close } = await make();
  const a = new Agent({ connections: 4 });
  let n = 0;
  for (let i = 0; i < paths; i += 20) {
    const all = await Promise.all(Array.from({ length: 20 }, (_, k) => request(`http://127.0.0.1:${port}/users/${i + k}?x=1`, { dispatcher: a }).then((r) => r.body.text())));
    for (const t of all) n += t.length;
  }
  await a.close();
  close();
  return n;
}

const sides = {
  'clone-lodash': () => { const _ = require('lodash'); return repeat(12, () => _.cloneDeep(shapes).length * 1); },
  'clone-structured': () => repeat(12, () => structuredClone(shapes).length),
  'clone-rfdc': () => { const c = require('rfdc')(); return repeat(12, () => c(shapes).length); },
  'equal-lodash': () => { const _ = require('lodash'); const b = records(400); return repeat(60, () => +_.isEqual(shapes, b)); },
  'equal-fast': () => { const eq = require('fast-deep-equal'); const b = records(400); return repeat(60, () => +eq(shapes, b)); },
  'stringify': () => repeat(60, () => JSON.stringify(shapes).length),
  'stringify-schema': () => {
    const f = require('fast-json-stringify')({ type: 'array', items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' }, score: { type: 'number' }, tags: { type: 'array', items: { type: 'string' } }, nested: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'array', items: { type: 'number' } } } } } } });
    return repeat(60, () => f(shapes).length);
  },
  'parse-each': () => { const t = JSON.stringify(shapes); return repeat(60, () => JSON.parse(t).length); },
  'parse-kept': () => { const kept = JSON.parse(JSON.stringify(shapes)); return repeat(60, () => kept.length); },
  'log-winston': () => { const w = require('winston'); const l = w.createLogger({ format: w.format.combine(w.format.timestamp(), w.format.json()), transports: [new w.transports.Stream({ stream: require('fs').createWriteStream('/dev/null') })] }); return repeat(12000, (i) => { l.info('row stored', { id: i, table: 'users' }); return 1; }); },
  'log-pino': () => { const l = require('pino')({}, require('fs').createWriteStream('/dev/null')); return repeat(12000, (i) => { l.info({ id: i, table: 'users' }, 'row stored'); return 1; }); },
  'date-moment': () => { const m = require('moment'); return repeat(12000, (i) => m('2026-03-04 12:00:00', 'YYYY-MM-DD HH:mm:ss').add(i, 'minutes').format('DD.MM.YYYY HH:mm').length); },
  'date-dayjs': () => { const d = require('dayjs'); d.extend(require('dayjs/plugin/customParseFormat')); return repeat(12000, (i) => d('2026-03-04 12:00:00', 'YYYY-MM-DD HH:mm:ss').add(i, 'minute').format('DD.MM.YYYY HH:mm').length); },
  'sha-cryptojs': () => { const c = require('crypto-js'); const t = 'x'.repeat(4000); return repeat(150, (i) => c.SHA256(t + i).toString().length); },
  'sha-node': () => { const c = require('crypto'); const t = 'x'.repeat(4000); return repeat(150, (i) => c.createHash('sha256').update(t + i).digest('hex').length); },
  'uuid-package': () => { const { v4 } = require('uuid'); const seed = () => ({ random: require('crypto').randomBytes(16) }); return repeat(60000, () => v4(seed()).length); },
  'uuid-node': () => { const { randomUUID } = require('crypto'); return repeat(60000, () => randomUUID().length); },
  'resize-jimp': async () => { const { Jimp } = require('jimp'); const im = new Jimp({ width: 1200, height: 900, data: pixels(1200, 900) }); im.resize({ w: 300 }); return (await im.getBuffer('image/jpeg')).length; },
  'resize-sharp': async () => { const s = require('sharp'); s.concurrency(1); return (await s(pixels(1200, 900), { raw: { width: 1200, height: 900, channels: 4 } }).resize({ width: 300 }).jpeg().toBuffer()).length; },
  'minify-terser': async () => { const t = require('terser'); const code = require('fs').readFileSync(require.resolve('handlebars/dist/handlebars.js'), 'utf8'); return (await t.minify(code)).code.length; },
  'minify-esbuild': () => { const e = require('esbuild'); const code = require('fs').readFileSync(require.resolve('handlebars/dist/handlebars.js'), 'utf8'); return e.transformSync(code, { minify: true }).code.length; },
  'express': () => server(() => new Promise((ok) => { const app = require('express')(); app.use((q, r, n) => n()); app.get('/users/:id', (q, r) => r.json({ id: q.params.id, name: 'a' })); const s = app.listen(0, '127.0.0.1', () => ok({ port: s.address().port, close: () => s.close() })); }), 3000),
  'fastify': () => server(async () => { const app = require('fastify')(); app.addHook('onRequest', (q, r, n) => n()); app.get('/users/:id', (q, r) => ({ id: q.params.id, name: 'a' })); await app.listen({ port: 0, host: '127.0.0.1' }); return { port: app.server.address().port, close: () => app.close() }; }, 3000),
  'sort-localecompare': () => { const w = records(60000).map((r, i) => `Ärger ${(i * 7919) % 60013} ${r.name}`); return w.sort((a, b) => a.localeCompare(b, 'de')).length; },
  'sort-collator': () => { const w = records(60000).map((r, i) => `Ärger ${(i * 7919) % 60013} ${r.name}`); const c = new Intl.Collator('de'); return w.sort(c.compare).length; },
  'format-each': () => repeat(5000, (i) => new Date(1.7e12 + i * 1e5).toLocaleDateString('de-DE', { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }).length),
  'format-kept': () => { const f = new Intl.DateTimeFormat('de-DE', { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }); return repeat(5000, (i) => f.format(new Date(1.7e12 + i * 1e5)).length); },
  'template-each': () => { const h = require('handlebars'); return repeat(400, (i) => h.compile(`<ul>{{#each rows}}<li>{{id}} {{name}} ${i}</li>{{/each}}</ul>`)({ rows: shapes.slice(0, 5) }).length); },
  'template-once': () => { const h = require('handlebars'); const t = h.compile('<ul>{{#each rows}}<li>{{id}} {{name}} {{../i}}</li>{{/each}}</ul>'); return repeat(400, (i) => t({ rows: shapes.slice(0, 5), i }).length); },
  'function-each': () => repeat(30000, (i) => new Function('a', 'b', `return a * ${i % 97} + (b > ${i} ? 1 : ${i})`)(i, 3)),
  'function-once': () => { const f = (a, b, c, d) => a * c + (b > d ? 1 : d); return repeat(30000, (i) => f(i, 3, i % 97, i)); },
  'sync-gzip': () => { const z = require('zlib'); const b = Buffer.from(JSON.stringify(records(3000))); return repeat(8, () => z.gzipSync(b, { level: 9 }).length); },
  'sync-gzip-1': () => { const z = require('zlib'); const b = Buffer.from(JSON.stringify(records(3000))); return repeat(8, () => z.gzipSync(b, { level: 1 }).length); },
};

(async () => {
  const side = sides[process.argv[2]];
  if (!side) { console.error(Object.keys(sides).join('\n')); process.exit(2); }
  let n = 0;
  for (let i = +(process.argv[3] || 1); i > 0; i--) n += await side();
  console.log(n);
})();
