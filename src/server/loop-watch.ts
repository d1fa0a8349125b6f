import { url as inspectorUrl } from 'node:inspector';
import { startThread } from '../paths.ts';

const BEAT_MILLIS = 250;

/** What the thread that watches is given. */
export interface LoopWatch {
  /** Counts on while the loop goes round. */
  beats: Int32Array;
  tickMillis: number;
  /** So many ticks of the watcher without a beat end the process. */
  maxTicks: number;
}

/**
 * Has a thread watch the event loop of this process, and end it by SIGKILL, with one line, where it stands still for so
 * long. What keeps the loop from going round keeps the process from hearing SIGTERM, too.
 */
export function watchLoop({ tickMillis = 1000, maxTicks = 10 } = {}): void {
  // A breakpoint holds the loop, too.
  if (inspectorUrl()) return;
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MILLIS).unref();
  startThread('server/loop-watch-thread', { beats, tickMillis, maxTicks } satisfies LoopWatch).unref();
}
