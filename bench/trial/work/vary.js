const { Worker, isMainThread, workerData } = require('worker_threads');
if (isMainThread) {
  const [n, wrong, burn] = process.argv.slice(2).map(Number);
  const begin = performance.now();
  for (let i = 0; i < burn * 1e6; i++) ;
  let left = 2;
  for (let part = 0; part < 2; part++)
    new Worker(__filename, { workerData: { n, wrong, part } })
      .on('message', m => console.log(`worker ${m.part} value ${m.v} after ${performance.now() - begin}`))
      .on('exit', () => { if (--left === 0) console.log(`done in ${Math.round(performance.now() - begin)}ms`); });
} else {
  const { parentPort } = require('worker_threads');
  const { n, wrong, part } = workerData;
  for (let i = part; i < n; i += 2) parentPort.postMessage({ part, v: i * i + (i === 7 ? wrong : 0) });
}
