import type { Payer } from './processor-time.ts';

/** What waits, by whom it is for. */
export type Queues = Map<Payer, (() => void)[]>;

export function queueFor(queues: Queues, payer: Payer, goOn: () => void): void {
  const own = queues.get(payer);
  if (own) own.push(goOn);
  else queues.set(payer, [goOn]);
}

/** Takes its first; for what else it has it comes behind all others. */
export function takeFirstFor(queues: Queues, payer: Payer): () => void {
  const own = queues.get(payer)!;
  queues.delete(payer);
  const goOn = own.shift()!;
  if (own.length > 0) queues.set(payer, own);
  return goOn;
}
