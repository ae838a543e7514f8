// Small programs around the habits of pairs.cjs, with other data: node tasks.cjs SIDE
// [TIMES]. Packages are found by NODE_PATH.
'use strict';
const repeat = (n, f) => { let s = 0; for (let i = 0; i < n; i++) s += f(i); return s; };
const orders = Array.from({ length: 300 }, (_, i) => ({ id: 1000 + i, customer: `Größe & Söhne ${i % 41}`, at: new Date(1.7e12 + i * 3.7e7).toISOString(), lines: Array.from({ length: 1 + (i % 6) }, (_, k) => ({ article: `A-${(i * 31 + k) % 977}`, pieces: 1 + (k % 4), cents: 199 + ((i * 7919 + k) % 20000) })) }));
const total = (o) => o.lines.reduce((s, l) => s + l.pieces * l.cents, 0);
const rules = Array.from({ length: 40 }, (_, i) => `cents > ${500 * i} ? cents * ${100 - (i % 9)} / 100 : cents + ${i % 3} * pieces`);
const settings = JSON.stringify({ limits: Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`A-${i * 13}`, { least: i, most: i * 9, note: 'per order' }])), currency: 'EUR', rounding: [1, 5, 10] });
const mail = '<h1>Order {{id}}</h1><p>Dear {{customer}},</p><table>{{#each lines}}<tr><td>{{article}}</td><td>{{pieces}}</td><td>{{cents}}</td></tr>{{/each}}</table>{{#if gift}}<p>A gift.</p>{{/if}}';

const sum = (price) => repeat(20, () => orders.reduce((s, o) => s + o.lines.reduce((t, l, k) => t + price((o.id + k) % rules.length, l), 0), 0));
const checked = (read) => repeat(12, () => orders.reduce((s, o) => { const c = read(); return s + o.lines.filter((l) => l.pieces > (c.limits[l.article]?.least ?? 0)).length + Math.round(total(o) / c.rounding[1]); }, 0));
const invoice = (text) => repeat(8, () => orders.reduce((s, o) => s + o.lines.map((l) => `${l.article.padEnd(8)} ${text(l.pieces * l.cents / 100)}`).join('\n').length, 0));
const journal = (log) => repeat(40, () => orders.reduce((s, o) => { const t = total(o); if (t > 20000) log({ order: o.id, customer: o.customer, total: t }, 'a large order'); return s + t; }, 0));
const tokens = (mac) => repeat(12, () => orders.reduce((s, o) => s + mac(`${o.id}:${o.customer}:${o.at}`).length, 0));

const sides = {
  'prices-each': () => sum((r, l) => new Function('cents', 'pieces', `return ${rules[r]}`)(l.cents, l.pieces)),
  'prices-once': () => { const f = rules.map((r) => new Function('cents', 'pieces', `return ${r}`)); return sum((r, l) => f[r](l.cents, l.pieces)); },
  'settings-each': () => checked(() => JSON.parse(settings)),
  'settings-once': () => { const c = JSON.parse(settings); return checked(() => c); },
  'invoice-each': () => invoice((v) => v.toLocaleString('de-DE', { style: 'currency', currency: 'EUR' })),
  'invoice-once': () => { const f = new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }); return invoice((v) => f.format(v)); },
  'mails-each': () => { const h = require('handlebars'); return orders.reduce((s, o) => s + h.compile(mail)({ ...o, gift: total(o) > 30000 }).length, 0); },
  'mails-once': () => { const t = require('handlebars').compile(mail); return orders.reduce((s, o) => s + t({ ...o, gift: total(o) > 30000 }).length, 0); },
  'due-moment': () => { const m = require('moment'); return repeat(20, () => orders.reduce((s, o) => s + m(o.at).add(14, 'days').startOf('day').format('YYYY-MM-DD').length, 0)); },
  'due-dayjs': () => { const d = require('dayjs'); return repeat(20, () => orders.reduce((s, o) => s + d(o.at).add(14, 'day').startOf('day').format('YYYY-MM-DD').length, 0)); },
  'journal-winston': () => { const w = require('winston'); const l = w.createLogger({ format: w.format.combine(w.format.timestamp(), w.format.json()), transports: [new w.transports.Stream({ stream: require('fs').createWriteStream('/dev/null') })] }); return journal((o, t) => l.info(t, o)); },
  'journal-pino': () => { const l = require('pino')({}, require('fs').createWriteStream('/dev/null')); return journal((o, t) => l.info(o, t)); },
  'tokens-cryptojs': () => { const c = require('crypto-js'); return tokens((t) => c.HmacSHA256(t, 'secret').toString()); },
  'tokens-node': () => { const c = require('crypto'); return tokens((t) => c.createHmac('sha256', 'secret').update(t).digest('hex')); },
};

const side = sides[process.argv[2]];
if (!side) { console.error(Object.keys(sides).join('\n')); process.exit(2); }
console.log(repeat(+(process.argv[3] || 1), side));
