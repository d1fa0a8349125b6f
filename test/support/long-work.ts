import type { Parts } from '../../src/lib/parts.ts';
import { type Payer, RecentWork } from '../../src/lib/processor-time.ts';

/** One for whom so much was done just now. */
export function newPayer(recentMillis = 0, above?: Payer): Payer {
  const recent = new RecentWork();
  const pay = (millis: number) => {
    recent.add(millis);
    above?.pay(millis);
  };
  pay(recentMillis);
  return {
    pay,
    above,
    get recentMillis() {
      return recent.millis;
    },
  };
}

/** Work in parts, each of which takes more than one turn of the loop has for all of them. */
export function* longParts(count: number, said: () => void, millis = 6): Parts<number> {
  for (let i = 0; i < count; i++) {
    busy(millis);
    said();
    yield;
  }
  return count;
}

export function busy(millis = 6): void {
  const until = performance.now() + millis;
  const { user, system } = process.cpuUsage();
  const used = () => process.cpuUsage({ user, system });
  while (performance.now() < until || used().user + used().system < millis * 1000);
}
