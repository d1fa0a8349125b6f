import { watchLoop } from '../../src/server/loop-watch.ts';

// A process of its own for the test of the watch, whose loop goes round so often, and then stands still if it is told to.

const [turns, thenStands] = process.argv.slice(2);
watchLoop({ tickMillis: 300, maxTicks: 5 });
let left = Number(turns);
const timer = setInterval(() => {
  if (left-- > 0) return;
  clearInterval(timer);
  while (thenStands === 'stands');
  process.exit(0);
}, 100);
