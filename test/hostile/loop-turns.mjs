// Loaded into each process of the service that is attacked: notes the turns of its loop that are long, with what its thread
// had of the processors meanwhile, so that a stop of the machine and one of the service can be told apart. On Linux.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const TICK_MILLIS = 10;
const LONG_MILLIS = 40;

/** Of proc(5): nanoseconds on a processor, and ready for one. Of the main thread, whose number is the process's. */
const SCHEDULE = `/proc/self/task/${process.pid}/schedstat`;

function schedule() {
  const [ran, waited] = readFileSync(SCHEDULE, 'utf8').split(' ');
  return { at: performance.now(), ran: ran / 1e6, waited: waited / 1e6 };
}

if (isMainThread && existsSync(SCHEDULE)) {
  let last = schedule();
  setInterval(() => {
    const now = schedule();
    const millis = now.at - last.at;
    if (millis > TICK_MILLIS + LONG_MILLIS) {
      const turn = { endedAt: Date.now(), millis, ran: now.ran - last.ran, waited: now.waited - last.waited };
      appendFileSync(process.env.LOOP_TURNS_FILE, `${JSON.stringify(turn)}\n`);
    }
    last = now;
  }, TICK_MILLIS).unref();
}
