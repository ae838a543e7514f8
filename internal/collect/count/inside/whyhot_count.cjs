'use strict';
// Counts calls of the functions that whyhot count names, their different arguments, and
// whether the same arguments give the same result.
//
// The source of these functions is rewritten when their file is loaded: what is called and
// what is returned is told to the counter, within the same lines and without a call around
// the function, so that stacks stay as they are. A file that does not compile then is loaded
// as it is. Objects are asked nothing that could run code of the program.
(() => {
  const { WHYHOT_COUNT_FUNCTIONS: names, WHYHOT_COUNT_RESULTS: results } = process.env;
  if (parseInt(process.versions.node, 10) < 18) return;
  const { isMainThread } = require('worker_threads');
  delete require.cache[__filename];
  if (!names || !results || !isMainThread) return;

  const fs = require('fs');
  const path = require('path');
  const vm = require('vm');
  const Module = require('module');
  const { types } = require('util');
  const { fileURLToPath, pathToFileURL } = require('url');
  const { performance } = require('perf_hooks');

  const MOST = 1 << 16; // different arguments of a function
  const LONGEST = 64; // items of a container that are looked at: half of them the last
  const SAVE = 1000; // ms between two times that the counts are written
  const ENOUGH = 1000; // ms of looking at a function, before fewer of its calls are looked at

  const read = fs.readFileSync;
  const now = performance.now.bind(performance);
  const tallies = JSON.parse(read(names, 'utf8')).filter((w) => w.language === 'node').map((w) => ({
    name: w.name, file: w.file, line: w.line || 0, found: false,
    count: 0, looked: 0, repeated: 0, same: 0, nothing: 0, plain: 0, cyclic: 0, spent: 0, stride: 1,
    firstTime: 0, againTime: 0, // ns of the calls that are looked at: with new arguments, with known ones
    first: new Map(), // hash of arguments: hash of the first result, number of the last call, distance to the one before
    times: new Array(54).fill(0), // ns of the calls from 2**i on, up to those from 2**(i+1) on
    active: 0, recursive: false,
    results: new Set(),
  }));
  const files = new Map(); // path: indexes of tallies
  tallies.forEach((t, i) => {
    let file = t.file;
    try {
      if (file.startsWith('file:')) file = fileURLToPath(file);
    } catch { /* a URL of another machine */ }
    files.set(file, (files.get(file) || []).concat(i));
  });

  // ---- What a value is made of, as a number.

  let one = 0, two = 0; // the hash that is being made
  const double = new Float64Array(1), halves = new Uint32Array(double.buffer);
  const { getPrototypeOf, getOwnPropertyDescriptor, keys } = Object;
  const mapEntries = Map.prototype.entries, setValues = Set.prototype.values, time = Date.prototype.getTime;
  const mapNext = getPrototypeOf(new Map().entries()).next, setNext = getPrototypeOf(new Set().values()).next;
  const mapSize = getOwnPropertyDescriptor(Map.prototype, 'size').get, setSize = getOwnPropertyDescriptor(Set.prototype, 'size').get;
  const source = getOwnPropertyDescriptor(RegExp.prototype, 'source').get;
  const bigText = BigInt.prototype.toString;
  const tokens = new WeakMap();
  let token = 0;

  function add(number) {
    one = Math.imul(one ^ number, 0x85ebca6b);
    one ^= one >>> 15;
    two = Math.imul(two ^ number, 0xc2b2ae35);
    two ^= two >>> 13;
  }
  function addText(text) {
    add(text.length);
    let a = one, b = two;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      a = Math.imul(a ^ c, 0x9e3779b1);
      b = Math.imul(b ^ c, 0x5f356495);
    }
    one = a ^ (a >>> 16);
    two = b ^ (b >>> 16);
  }
  function addIdentity(value) {
    let known = tokens.get(value);
    if (known === undefined) tokens.set(value, known = ++token);
    add(15);
    add(known);
  }
  function addItems(list, depth, inside) {
    const n = list.length;
    add(n);
    for (let i = 0; i < n; i++) {
      if (n > LONGEST && i === LONGEST / 2) i = n - LONGEST / 2;
      addValue(list[i], depth, inside);
    }
  }
  function addProperties(value, depth, inside) {
    const own = keys(value), n = own.length;
    add(n);
    for (let i = 0; i < n; i++) {
      if (n > LONGEST && i === LONGEST / 2) i = n - LONGEST / 2;
      addText(own[i]);
      const property = getOwnPropertyDescriptor(value, own[i]);
      addValue(property === undefined || property.get || property.set ? undefined : property.value, depth, inside);
    }
  }
  function addValue(value, depth, inside) {
    switch (typeof value) {
      case 'undefined': return add(1);
      case 'boolean': return add(value ? 2 : 3);
      case 'number':
        double[0] = value;
        add(4); add(halves[0]);
        return add(halves[1]);
      case 'string': add(5); return addText(value);
      case 'bigint': add(6); return addText(bigText.call(value));
      case 'symbol': add(7); return addText(Symbol.prototype.toString.call(value));
      case 'function': return addIdentity(value);
    }
    if (value === null) return add(8);
    if (depth > 0 && !types.isProxy(value)) {
      const kind = getPrototypeOf(value);
      if (kind === Array.prototype) { add(9); return addItems(value, depth - 1, inside); }
      if (kind === Object.prototype || kind === null) { add(10); return addProperties(value, depth - 1, inside); }
      if (types.isMap(value) && (inside || kind === Map.prototype)) {
        const all = mapEntries.call(value), list = [];
        for (let e = mapNext.call(all); !e.done && list.length < LONGEST; e = mapNext.call(all)) list.push(e.value[0], e.value[1]);
        add(11); add(mapSize.call(value));
        return addItems(list, depth - 1, inside);
      }
      if (types.isSet(value) && (inside || kind === Set.prototype)) {
        const all = setValues.call(value), list = [];
        for (let e = setNext.call(all); !e.done && list.length < LONGEST; e = setNext.call(all)) list.push(e.value);
        add(12); add(setSize.call(value));
        return addItems(list, depth - 1, inside);
      }
      if (types.isDate(value)) { add(13); return addValue(time.call(value), 0, false); }
      if (types.isRegExp(value)) {
        add(14); addText(source.call(value)); // flags are asked of the object, so only what it holds is taken
        return add(value.lastIndex | 0);
      }
      if (ArrayBuffer.isView(value) && !types.isDataView(value)) {
        add(16); addIdentity(kind);
        return addItems(value, 0, false);
      }
      if (inside && !types.isPromise(value)) { add(17); addIdentity(kind); return addProperties(value, depth - 1, inside); }
    }
    return addIdentity(value);
  }
  const finish = () => (two >>> 0) * 0x200000 + ((one >>> 0) & 0x1fffff);

  function has(value, name) {
    for (let o = value, n = 0; o !== null && n < 16 && !types.isProxy(o); o = getPrototypeOf(o), n++) {
      const property = getOwnPropertyDescriptor(o, name);
      if (property !== undefined) return typeof property.value === 'function';
    }
    return false;
  }
  // Iterators, promises and streams are not what a call gives, but how.
  const later = (value) => (has(value, 'next') && has(value, Symbol.iterator)) || has(value, 'then') || (has(value, 'pipe') && has(value, 'on'));
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  const unseen = { set r(value) {} }; // of a call that is not looked at: keeps nothing

  let saved = now(); // when the counts were written: a process that is killed has been written a second before
  let wasted = 0; // ms in here: the calls that are counted do not take that

  // scope is the call of the function around, whose variables this one sees.
  function begin(i, site, receiver, values, target, scope) {
    const t = tallies[i];
    if (++t.count % t.stride !== 0 || t.first.size >= MOST) return unseen;
    const from = now();
    one = site; two = values.length;
    if (target === undefined) addValue(receiver, 2, false); else addIdentity(target);
    if (scope !== undefined) addIdentity(scope);
    const passed = isObject(receiver) && target === undefined ? [receiver] : [];
    for (let n = 0; n < values.length; n++) {
      addValue(values[n], 2, false);
      if (isObject(values[n])) passed.push(values[n]);
    }
    const call = { r: undefined, t, arguments: finish(), passed, made: target !== undefined, number: t.count, from: 0 };
    if (++t.active > 1) t.recursive = true;
    const until = now();
    t.spent += until - from;
    wasted += until - from;
    call.from = until - wasted;
    return call;
  }
  function end(call) {
    const t = call.t;
    if (t === undefined) return;
    const from = now(), value = call.r;
    let result;
    const took = Math.max(0, from - wasted - call.from) * 1e6;
    t.times[Math.floor(Math.log2(call.number))] += took * t.stride;
    t.active--;
    t.looked++;
    if (call.made) {
      t.nothing++;
    } else {
      if (value === undefined || value === null || (isObject(value) && (call.passed.includes(value) || (!types.isProxy(value) && later(value))))) {
        t.nothing++;
      } else {
        if (typeof value === 'number' || typeof value === 'boolean') t.plain++;
        one = two = 7;
        addValue(value, 3, true);
        result = finish();
        if (t.results.size < MOST) t.results.add(result);
      }
    }
    const known = t.first.get(call.arguments);
    if (known !== undefined) {
      const distance = t.looked - known.last;
      t.repeated++;
      t.againTime += took;
      if (known.result === result) t.same++;
      if (known.distance === distance && 2 * distance >= t.first.size) t.cyclic++;
      known.last = t.looked;
      known.distance = distance;
    } else {
      t.firstTime += took;
      t.first.set(call.arguments, { result, last: t.looked, distance: 0 });
    }
    if (from - saved > SAVE) write();
    const spent = now() - from;
    t.spent += spent;
    wasted += spent;
    if (t.spent > ENOUGH * (32 - Math.clz32(t.stride))) t.stride *= 2;
  }
  Object.defineProperty(globalThis, '__whyhot__', {
    value: {
      b: begin,
      e: end,
      c: (i, site, values, target, scope) => end(begin(i, site, undefined, values, target, scope)),
      n: (i) => { tallies[i].count++; },
    },
  });

  // ---- Where functions begin, return and end.

  const OPERATORS = new Set(('return typeof case in instanceof new delete void throw do else yield await extends export default import const let var ' +
    'if while for with switch catch try finally function class').split(' '));
  const CONTROL = new Set(['if', 'while', 'for', 'with', 'switch', 'catch']);
  const STARTS = new Set(['else', 'do', 'try', 'finally', 'catch']); // a statement follows
  const NAME = /[\p{ID_Start}$_#\\][\p{ID_Continue}$\u200c\u200d\\]*/uy;
  const NUMBER = /0[xXoObB][\da-fA-F_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?n?/y;
  const SPACE = /(?:[\s\ufeff]|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)+/y;
  const PUNCTUATION = />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[^]/y;
  const REGEXP = /\/(?:[^\\/[\n\r]|\\.|\[(?:[^\\\]\n\r]|\\.)*\])+\/[\p{ID_Continue}$]*/uy;

  function scan(text) {
    const functions = [];
    const all = []; // tokens: { text, from, to }
    let at = 0, line = false; // line: a line ends before the token
    let sequence = 0;
    let statement = true; // a statement begins here
    let ended = false; // an expression ends here
    let declares = false; // after export, default, async
    let body = null; // the function whose body follows
    let isStatic = false; // a static block follows
    const stack = [{ open: '', kind: 'block', choices: 0, expressions: [], classes: [] }];
    let top = stack[0];

    const match = (expression) => {
      expression.lastIndex = at;
      const m = expression.exec(text);
      return m === null ? '' : m[0];
    };
    const peek = () => {
      SPACE.lastIndex = at;
      const m = SPACE.exec(text);
      const next = at + (m === null ? 0 : m[0].length);
      return { next, text: text.substr(next, 2), line: m !== null && /[\n\r\u2028\u2029]/.test(m[0]) };
    };
    const before = (n) => (all.length >= n ? all[all.length - n].text : '');
    const isMember = () => before(1) === '.' || before(1) === '?.';
    const push = (open, kind, more) => {
      top = Object.assign({ open, kind, choices: 0, expressions: [], classes: [], index: all.length }, more);
      stack.push(top);
      if (kind === 'object' || kind === 'class') key(top);
    };
    const key = (of) => { of.member = { name: null, keyed: false, from: -1, async: false, generator: false, accessor: false, static: false }; };
    const note = (f, what, position) => f.notes.push({ what, position, sequence: sequence++ });
    // The function that one is in, of an arrow function the one whose expression it is in; false
    // where it is among parameters.
    const around = () => {
      for (let n = stack.length - 1; n > 0; n--) {
        const e = stack[n].expressions.findLast((x) => x.kind === 'arrow');
        if (e !== undefined) return e.f;
        if (stack[n].kind === 'parameters') return false;
        if (stack[n].kind === 'body') return stack[n].f;
      }
      const e = stack[0].expressions.findLast((x) => x.kind === 'arrow');
      return e === undefined ? null : e.f;
    };
    const begun = (kind, from, index, more) => {
      const f = Object.assign({ kind, from, index, name: '', full: '', async: false, generator: false, notes: [], parameters: null, around: around() }, more);
      functions.push(f);
      return f;
    };
    // What a function is called by what it is given to.
    const called = (f) => {
      let i = f.index - 1;
      while (i > 0 && all[i].text === '(') i--;
      if (i < 1) return;
      if (all[i].text === '=' && /^[\p{ID_Start}$_#]/u.test(all[i - 1].text)) {
        f.name = f.full = all[i - 1].text;
        for (let k = i - 2; k > 0 && all[k].text === '.'; k -= 2) f.full = all[k - 1].text + '.' + f.full;
      } else if (all[i].text === ':' && top.kind === 'object' && top.value) {
        f.name = f.full = top.value;
      }
    };
    const finishExpressions = (until) => {
      while (top.expressions.length > 0) {
        const e = top.expressions[top.expressions.length - 1];
        if (!until(e)) break;
        top.expressions.pop();
        note(e.f, e.kind === 'arrow' ? 'expression ends' : 'return ends', all[all.length - 1].to);
      }
    };
    const lines = () => top.kind === 'block' || top.kind === 'body' || top.kind === 'class';

    if (text.startsWith('#!')) at = text.search(/[\n\r]|$/);
    for (;;) {
      const space = match(SPACE);
      at += space.length;
      line = /[\n\r\u2028\u2029]/.test(space);
      let from = at, kind, word;
      if (at >= text.length) break;
      const c = text[at];
      if (c === '"' || c === "'") {
        kind = 'text';
        for (at++; at < text.length && text[at] !== c; at++) if (text[at] === '\\') at++;
        at++;
        word = text.slice(from, at);
      } else if (c === '`' || (c === '}' && top.kind === 'template')) {
        if (c === '}') {
          finishExpressions(() => true);
          stack.pop();
          top = stack[stack.length - 1];
        }
        kind = 'text';
        for (at++; at < text.length && text[at] !== '`' && !(text[at] === '$' && text[at + 1] === '{'); at++) if (text[at] === '\\') at++;
        if (at >= text.length) return null;
        if (text[at] === '$') {
          at += 2;
          all.push({ text: '${', from, to: at });
          push('{', 'template');
          statement = ended = false;
          continue;
        }
        at++;
        word = '`';
        if (c === '}') {
          all.push({ text: word, from, to: at });
          ended = true; statement = declares = false;
          continue;
        }
      } else if (c === '/' && !ended && (word = match(REGEXP)) !== '') {
        kind = 'text';
        at += word.length;
      } else if ((word = match(NAME)) !== '') {
        kind = 'name';
        at += word.length;
      } else if (/\d/.test(c) || (c === '.' && /\d/.test(text[at + 1] || ''))) {
        kind = 'number';
        word = match(NUMBER);
        at += word.length;
      } else {
        kind = 'mark';
        word = match(PUNCTUATION);
        at += word.length;
      }

      // Where a line ends an expression that the next word cannot go on with.
      const breaks = line && ended && lines() &&
        (kind === 'name' ? word !== 'in' && word !== 'instanceof' : kind === 'text' ? word[0] !== '`' : kind === 'number' || word === '{' || word === '!' || word === '~' || word === '++' || word === '--');
      if (breaks) {
        finishExpressions(() => true);
        top.choices = 0;
        statement = true;
        if (top.kind === 'class') key(top);
        if (word !== '++' && word !== '--') ended = false;
      }
      const member = (top.kind === 'object' || top.kind === 'class') && top.member;
      const token = { text: word, from, to: at };

      if (member && !isMember() && !(kind === 'mark' && !'*[(:=,;}...'.includes(word))) {
        // Names of properties and methods.
        if (kind !== 'mark') {
          if (member.keyed && top.kind === 'class' && line) key(top);
          const m = top.member;
          if (m.from < 0) m.from = from;
          const next = peek();
          const modifier = kind === 'name' && !m.keyed && !'(,:=;}'.includes(next.text[0] || '}');
          if (modifier && word === 'static' && next.text[0] === '{') { isStatic = true; top.member = null; statement = true; ended = false; all.push(token); continue; }
          if (modifier && (word === 'static' || word === 'get' || word === 'set' || (word === 'async' && !next.line))) {
            if (word === 'static') m.static = true; else if (word === 'async') m.async = true; else m.accessor = true;
          } else {
            m.keyed = true;
            m.name = kind === 'text' ? word.slice(1, -1) : word;
            m.from = from;
          }
          all.push(token);
          ended = true; statement = declares = false;
          continue;
        }
        if (word === '*') {
          member.generator = true;
          all.push(token);
          ended = false;
          continue;
        }
        if (word === '[' && !member.keyed) {
          all.push(token);
          push('[', 'computed');
          ended = statement = false;
          continue;
        }
        if (word === '(' && member.keyed) {
          const f = begun(top.kind === 'class' && member.name === 'constructor' && !member.static ? 'constructor' : 'method', member.from, all.length,
            { name: member.name || '', full: member.name || '', async: member.async, generator: member.generator, parenthesis: from });
          if (f.kind === 'constructor') f.name = f.full = top.name || '';
          top.member = null;
          all.push(token);
          push('(', 'parameters', { f });
          ended = statement = false;
          continue;
        }
        if (word === ':' || word === '=') {
          top.value = member.name;
          top.member = null;
          all.push(token);
          ended = statement = false;
          continue;
        }
        if (word === '...') top.member = null;
        if (word === ';' && top.kind === 'class') {
          key(top);
          all.push(token);
          continue;
        }
      }

      if (kind === 'text' || kind === 'number') {
        all.push(token);
        ended = true; statement = declares = false;
        continue;
      }
      if (kind === 'name') {
        const plain = isMember() || word[0] === '#';
        if (plain || !OPERATORS.has(word)) {
          declares = word === 'async' && (statement || declares);
          const of = word === 'of' && top.kind === 'control' && ended;
          all.push(token);
          ended = !of;
          statement = false;
          if (body && body.named === undefined && body.kind === 'function') { body.name = body.full = body.named = word; }
          else if (top.classes.length > 0 && before(2) === 'class') top.classes[top.classes.length - 1].name = word;
          continue;
        }
        if (word === 'function') {
          const isAsync = before(1) === 'async' && !line;
          const f = begun('function', isAsync ? all[all.length - 1].from : from, isAsync ? all.length - 1 : all.length, { async: isAsync, declared: statement || declares });
          called(f);
          body = f;
        } else if (word === 'class') {
          const c = { declared: statement || declares, name: '', index: all.length };
          const f = { index: all.length, name: '', full: '' };
          called(f);
          c.name = f.name;
          top.classes.push(c);
        } else if (word === 'return') {
          let f = null;
          for (let n = stack.length - 1; n >= 0 && f === null; n--) if (stack[n].kind === 'body') f = stack[n].f;
          const next = peek();
          if (f !== null && !next.line && next.text !== '' && next.text[0] !== ';' && next.text[0] !== '}') {
            note(f, 'return begins', at);
            top.expressions.push({ kind: 'return', f, choices: top.choices });
          }
        }
        declares = (word === 'export' || word === 'default') && (statement || declares);
        statement = STARTS.has(word);
        ended = false;
        all.push(token);
        continue;
      }

      // Marks.
      const previous = before(1);
      switch (word) {
        case '(': {
          const isControl = previous !== '' && !(before(2) === '.' || before(2) === '?.') && (CONTROL.has(previous) || (previous === 'await' && before(2) === 'for'));
          const f = body !== null && body.kind === 'function' && !body.parameters ? body : null;
          if (f) { f.parenthesis = from; body = null; }
          all.push(token);
          push('(', f ? 'parameters' : isControl ? 'control' : 'group', { f, ended });
          ended = statement = declares = false;
          continue;
        }
        case '[':
          all.push(token);
          push('[', 'list');
          ended = statement = declares = false;
          continue;
        case '{':
          all.push(token);
          if (body !== null && body.ready) {
            note(body, 'body begins', at);
            body.open = all.length - 1;
            push('{', 'body', { f: body });
            body = null;
            statement = true; ended = false;
          } else if (isStatic) {
            isStatic = false;
            push('{', 'block', { isStatic: true });
            statement = true; ended = false;
          } else if (top.classes.length > 0 && previous !== 'extends') {
            const c = top.classes.pop();
            push('{', 'class', { declared: c.declared, name: c.name });
            statement = ended = false;
          } else if (statement || ended) {
            push('{', 'block');
            statement = true; ended = false;
          } else {
            push('{', 'object');
            ended = false;
          }
          declares = false;
          continue;
        case ')': case ']': case '}': {
          finishExpressions(() => true);
          const closed = stack.pop();
          if (stack.length === 0 || closed.open !== (word === ')' ? '(' : word === ']' ? '[' : '{')) return null;
          top = stack[stack.length - 1];
          if (closed.kind === 'body') note(closed.f, 'body ends', from);
          token.opened = closed.index - 1;
          all.push(token);
          statement = declares = false;
          ended = true;
          if (closed.kind === 'control') { statement = true; ended = false; }
          else if (closed.kind === 'computed') { top.member.keyed = true; top.member.name = null; if (top.member.from < 0) top.member.from = from; }
          else if (closed.kind === 'parameters') {
            const f = closed.f;
            f.parameters = [closed.index, all.length - 1];
            f.ready = true;
            body = f;
          } else if (closed.kind === 'block' || (closed.kind === 'class' && closed.declared) || (closed.kind === 'body' && closed.f.declared)) {
            statement = true; ended = false;
            if (top.kind === 'class') key(top);
          } else if (closed.kind === 'body' && top.kind === 'class' && (closed.f.kind === 'method' || closed.f.kind === 'constructor')) {
            key(top);
            ended = false;
          }
          continue;
        }
        case '=>': {
          let index = all.length - 1;
          const last = all[index];
          if (!last) return null;
          let parameters = [index, index + 1];
          if (last.text === ')') { index = last.opened; parameters = [index + 1, all.length - 1]; }
          const isAsync = index > 0 && all[index - 1].text === 'async' && (index < 2 || all[index - 2].text !== '.') && !/[\n\r]/.test(text.slice(all[index - 1].to, all[index].from));
          if (isAsync) index--;
          const f = begun('arrow', all[index].from, index, { async: isAsync, parenthesis: all[index].from, parameters });
          called(f);
          all.push(token);
          const next = peek();
          if (next.text[0] === '{') {
            f.ready = true;
            body = f;
          } else {
            note(f, 'expression begins', next.next);
            top.expressions.push({ kind: 'arrow', f, choices: top.choices });
          }
          ended = statement = declares = false;
          continue;
        }
        case ';':
          finishExpressions(() => true);
          top.choices = 0;
          top.classes.length = 0;
          if (top.kind === 'class') key(top);
          statement = top.kind !== 'control' && top.kind !== 'group';
          ended = declares = false;
          break;
        case ',':
          finishExpressions((e) => e.kind === 'arrow');
          if (top.kind === 'object') { key(top); top.choices = 0; }
          ended = statement = declares = false;
          break;
        case '?':
          top.choices++;
          ended = statement = declares = false;
          break;
        case ':':
          finishExpressions((e) => e.kind === 'arrow' && e.choices >= top.choices);
          statement = false;
          if (top.choices > 0) top.choices--;
          else if (top.kind === 'block' || top.kind === 'body') statement = true;
          ended = declares = false;
          break;
        case '*':
          if (body !== null && previous === 'function') body.generator = true;
          ended = statement = declares = false;
          break;
        case '++': case '--':
          if (line) ended = false;
          statement = declares = false;
          break;
        default:
          ended = statement = declares = false;
      }
      all.push(token);
    }
    if (stack.length !== 1) return null;
    if (all.length > 0) finishExpressions(() => true);
    return { functions, all };
  }

  // What an arrow function is given has to be named by its parameters; null where that needs
  // more than names.
  function passed(f, all) {
    const list = [];
    let depth = 0;
    for (let i = f.parameters[0]; i < f.parameters[1]; i++) {
      const word = all[i].text;
      if (depth === 0 && (i === f.parameters[0] || all[i - 1].text === ',')) {
        const rest = word === '...';
        const name = all[rest ? i + 1 : i].text;
        if (!/^[\p{ID_Start}$_]/u.test(name)) return null;
        list.push((rest ? '...' : '') + name);
      }
      if (word === '${') return null;
      if ('([{'.includes(word)) depth++;
      if (')]}'.includes(word)) depth--;
    }
    return list;
  }

  // The text with what tells the counter, and which tallies that are; null where there are none.
  function rewrite(text, wanted, compiles) {
    const scanned = scan(text);
    if (scanned === null) return null;
    const { functions, all } = scanned;
    const starts = [0];
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
    const lineOf = (position) => {
      let low = 0, high = starts.length;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (starts[middle] <= position) low = middle; else high = middle;
      }
      return low + 1;
    };
    const chosen = new Map();
    for (const i of wanted) {
      const t = tallies[i];
      const full = t.name.replace(/^(?:(?:get|set|static|async|new) )+/, '');
      const short = full.slice(full.lastIndexOf('.') + 1);
      let named = functions.filter((f) => f.name !== '' && f.name === short);
      const exact = named.filter((f) => f.full === full);
      if (exact.length > 0) named = exact;
      if (t.line > 0) named = named.filter((f) => lineOf(f.from) === t.line || lineOf(f.parenthesis) === t.line);
      for (const f of named) if (!chosen.has(f)) chosen.set(f, i);
    }
    const whole = told(text, all, chosen);
    if (whole === null || compiles(whole.text)) return whole;
    // A function whose body cannot stand in a block is left as it is.
    for (const [f, i] of chosen) {
      const alone = told(text, all, new Map([[f, i]]));
      if (alone === null || !compiles(alone.text)) chosen.delete(f);
    }
    const rest = told(text, all, chosen);
    return rest !== null && compiles(rest.text) ? rest : null;
  }

  // Where and what is put at the begin of a body: directives stay in front.
  function bodyBegins(f, note, all, what) {
    let { position } = note, semicolon = '';
    for (let k = f.open + 1; k < all.length && /^['"]/.test(all[k].text); k++) {
      const next = all[k + 1];
      semicolon = '';
      if (next.text === ';') position = all[++k].to;
      else if (/^[\p{ID_Start}$_'"}]/u.test(next.text) && !/^in(?:stanceof)?$/.test(next.text)) { position = all[k].to; semicolon = ';'; } else break;
    }
    return [position, note.sequence, semicolon + what];
  }

  function told(text, all, chosen) {
    const inserted = [], found = new Set();
    const put = (position, sequence, what) => inserted.push({ position, sequence, what });
    const scopes = new Set();
    for (const [f, i] of chosen) {
      if (f.notes.length === 0 || (f.kind !== 'arrow' && all.slice(f.parameters[0], f.parameters[1]).some((t) => t.text === 'arguments'))) continue;
      const counter = 'globalThis.__whyhot__?.';
      const rest = f.kind === 'arrow' ? passed(f, all) : null;
      const opens = f.around && f.around.notes.find((n) => n.what === 'body begins');
      const only = f.async || f.generator || (f.kind === 'arrow' && rest === null) || (f.around !== null && !opens);
      let scope = '';
      if (!only && opens) {
        scope = `,$whyhot${f.around.from}`;
        if (!scopes.has(f.around)) put(...bodyBegins(f.around, opens, all, `const $whyhot${f.around.from}={};`));
        scopes.add(f.around);
      }
      const id = `${i},${f.from}`;
      let begins, ends = '', returns = true;
      if (only || f.kind === 'constructor') {
        begins = only ? `${counter}n(${i});` : `${counter}c(${id},arguments,new.target${scope});`;
        returns = false;
      } else {
        begins = `const $whyhot=${counter}b(${id},${f.kind === 'arrow' ? `undefined,[${rest.join(',')}],undefined` : 'this,arguments,new.target'}${scope})??{};try{`;
        ends = `}finally{${counter}e($whyhot)}`;
      }
      for (const n of f.notes) {
        const { position } = n;
        switch (n.what) {
          case 'body begins': put(...bodyBegins(f, n, all, begins)); break;
          case 'body ends': put(position, n.sequence, ends); break;
          case 'expression begins': put(position, n.sequence, returns ? `{${begins}return $whyhot.r=(` : `{${begins}return (`); break;
          case 'expression ends': put(position, n.sequence, `)${ends}}`); break;
          case 'return begins': if (returns) put(position, n.sequence, ' $whyhot.r=('); break;
          case 'return ends': if (returns) put(position, n.sequence, ')'); break;
        }
      }
      found.add(i);
    }
    if (found.size === 0) return null;
    inserted.sort((a, b) => a.position - b.position || a.sequence - b.sequence);
    const parts = [];
    let at = 0;
    for (const n of inserted) {
      parts.push(text.slice(at, n.position), n.what);
      at = n.position;
    }
    parts.push(text.slice(at));
    return { text: parts.join(''), found };
  }

  const done = new Map(); // path: { text, counted }
  const tell = (found) => { for (const i of found) tallies[i].found = true; };
  const asScript = (text) => {
    try {
      vm.compileFunction(text.replace(/^#!/, '//'), ['exports', 'require', 'module', '__filename', '__dirname']);
      return true;
    } catch {
      return false;
    }
  };

  function counted(file, text, compiles) {
    const known = done.get(file);
    if (known !== undefined && (known.text === text || known.counted === text)) return known.counted;
    let result = text;
    try {
      const changed = rewrite(text, files.get(file), compiles);
      if (changed !== null) {
        tell(changed.found);
        result = changed.text;
      }
    } catch { /* a text that this does not understand: it stays as it is */ }
    done.set(file, { text, counted: result });
    return result;
  }

  // ---- Where files are loaded.

  const isModule = (file) => {
    if (file.endsWith('.mjs')) return true;
    if (file.endsWith('.cjs')) return false;
    for (let dir = path.dirname(file), up; ; dir = up) {
      try {
        return JSON.parse(read(path.join(dir, 'package.json'), 'utf8')).type === 'module' || null;
      } catch { /* none here */ }
      up = path.dirname(dir);
      if (up === dir) return null;
    }
  };
  const asModule = (text) => {
    const file = path.join(results, `check.${process.pid}.mjs`);
    try {
      fs.writeFileSync(file, text);
      const { status } = require('child_process').spawnSync(process.execPath, ['--check', file], { env: { ...process.env, NODE_OPTIONS: '' }, stdio: 'ignore' });
      return status === 0;
    } finally {
      fs.rmSync(file, { force: true });
    }
  };
  // Module.prototype._compile is asked for by whoever loads a file of CommonJS; a function of
  // ours stands in front of it only where the text did not come by the next way.
  let compile = Module.prototype._compile;
  Object.defineProperty(Module.prototype, '_compile', {
    configurable: true,
    enumerable: true,
    get() {
      const file = this && this.filename;
      if (!files.has(file) || done.has(file)) return compile;
      return function (text, name, ...rest) {
        return Reflect.apply(compile, this, [typeof text === 'string' ? counted(name, text, asScript) : text, name, ...rest]);
      };
    },
    set(value) {
      if (this === Module.prototype) compile = value;
      else Object.defineProperty(this, '_compile', { value, writable: true, enumerable: true, configurable: true });
    },
  });
  const modules = {}; // URL: { text, changed }
  // The loader reads files by this; others get what is in the file.
  fs.readFileSync = function readFileSync(file, options) {
    const text = read.apply(this, arguments);
    if (typeof file !== 'string' || typeof text !== 'string' || !files.has(file)) return text;
    const { prepareStackTrace, stackTraceLimit } = Error;
    let sites;
    try {
      Error.stackTraceLimit = 1;
      Error.prepareStackTrace = (_, list) => list;
      const at = {};
      Error.captureStackTrace(at, readFileSync);
      sites = at.stack;
    } finally {
      Error.prepareStackTrace = prepareStackTrace;
      Error.stackTraceLimit = stackTraceLimit;
    }
    const from = Array.isArray(sites) && sites[0] && sites[0].getFileName();
    if (!from || !from.startsWith('node:internal/modules/')) return text;
    const known = modules[pathToFileURL(file).href];
    if (known !== undefined) return known.text === text ? known.changed : text;
    return counted(file, text, asScript);
  };
  for (const file of files.keys()) {
    try {
      const kind = isModule(file);
      const text = read(file, 'utf8');
      if (kind === false || (kind === null && !/^\s*(?:import|export)\b/m.test(text))) continue;
      const changed = counted(file, text, asModule);
      if (changed !== text) modules[pathToFileURL(file).href] = { text, changed };
      else done.delete(file);
    } catch { /* no file, or none that can be read */ }
  }
  if (Object.keys(modules).length > 0) {
    if (typeof Module.registerHooks === 'function') {
      Module.registerHooks({ load: (url, context, next) => loaded(modules, url, next(url, context)) });
    } else if (typeof Module.register === 'function') {
      const hooks = `let modules; export function initialize(data) { modules = data; }\n${loaded}\nexport async function load(url, context, next) { return loaded(modules, url, await next(url, context)); }`;
      Module.register('data:text/javascript,' + encodeURIComponent(hooks), { data: modules });
    }
  }
  function loaded(modules, url, result) {
    const known = modules[url];
    if (known === undefined || result.format !== 'module' || result.source === null || result.source === undefined) return result;
    const text = typeof result.source === 'string' ? result.source : new TextDecoder('utf-8', { ignoreBOM: true }).decode(result.source);
    return text === known.text ? { ...result, source: known.changed } : result;
  }

  // ---- The end.

  const { writeFileSync, renameSync } = fs;
  const { stringify } = JSON;
  function write() {
    saved = now();
    const functions = tallies.filter((t) => t.found).map((t) => ({
      name: t.name, file: t.file, line: t.line, count: t.count, different: t.first.size < MOST ? t.first.size : 0, looked: t.looked,
      repeated: t.repeated, same: t.same, results: t.results.size, nothing: t.nothing, plain: t.plain, cyclic: t.cyclic,
      first_time: Math.round(t.firstTime), again_time: Math.round(t.againTime),
      times: t.recursive || t.count === 0 ? [] : t.times.slice(0, 1 + Math.floor(Math.log2(t.count))).map(Math.round),
    }));
    try {
      const file = path.join(results, `${process.pid}.json`);
      writeFileSync(file + '.part', stringify({ language: 'node', way: 'source', functions }));
      renameSync(file + '.part', file);
    } catch { /* the run is over, and its directory gone */ }
  }
  const exit = process.reallyExit;
  process.reallyExit = function (code) {
    write();
    return exit.call(process, code);
  };
  process.on('exit', write);
})();
