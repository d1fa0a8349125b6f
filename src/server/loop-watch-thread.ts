import { write } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { LoopWatch } from './loop-watch.ts';

// The program of the thread that watches the event loop of its process.

const STANDARD_OUTPUT = 1;
const WRITE_MILLIS = 1000;

const { beats, tickMillis, maxTicks } = workerData as LoopWatch;
let last = -1;
let ticks = 0;

// Its own ticks are counted, no time: a machine that sleeps, or is too busy for both, is no loop that stands still.
const timer = setInterval(() => {
  const now = Atomics.load(beats, 0);
  ticks = now === last ? ticks + 1 : 0;
  last = now;
  if (ticks < maxTicks) return;
  clearInterval(timer);
  const seconds = (tickMillis * maxTicks) / 1000;
  const msg = `the event loop has stood still for ${seconds} s: the process is ended (SIGKILL), to be started again`;
  const line = JSON.stringify({ level: 60, time: new Date().toISOString(), pid: process.pid, msg });
  const end = () => process.kill(process.pid, 'SIGKILL');
  write(STANDARD_OUTPUT, `${line}\n`, end);
  // A log that nobody reads may be what the loop waits for.
  setTimeout(end, WRITE_MILLIS);
}, tickMillis);
