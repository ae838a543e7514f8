// The page's side of the worker.

import { unreachable } from "../../api/error";
import type { Ask, FromWorker, Told, ToWorker } from "./messages";

interface Waiting {
  readonly done: (value: Told[keyof Told]) => void;
  readonly failed: (e: Error) => void;
}

let worker: Worker | null = null;
let numbers = 0;
let graphs = 0;
const waiting = new Map<number, Waiting>();

function start(): Worker {
  // The server names the file with its version, so that it fits this script.
  const script = document.querySelector<HTMLScriptElement>("script[data-worker]");
  const made = new Worker(script?.dataset.worker ?? "/assets/worker.js");
  made.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    const one = waiting.get(data.number);
    waiting.delete(data.number);
    if ("error" in data) one?.failed(new Error(data.error));
    else one?.done(data.value);
  };
  made.onerror = (e) => {
    // Without words the file itself was not there.
    const error = e.message ? new Error(e.message) : unreachable();
    for (const one of waiting.values()) one.failed(error);
    waiting.clear();
    worker = null;
  };
  return made;
}

// newGraph is the number of a graph that the worker is to keep until it is closed. The
// worker starts while the graph is still asked for.
export function newGraph(): number {
  worker ??= start();
  return ++graphs;
}

export function tell<K extends Ask["kind"]>(
  graph: number,
  ask: Extract<Ask, { kind: K }>,
): Promise<Told[K]> {
  worker ??= start();
  const message: ToWorker = { number: ++numbers, graph, ask };
  const answer = new Promise<Told[K]>((done, failed) => {
    waiting.set(message.number, { done: done as Waiting["done"], failed });
  });
  worker.postMessage(message);
  return answer;
}
