import type { Payer } from './processor-time.ts';

/** What waits, by whom it is for. */
export type Queues<Owner = Payer, Waiting = () => void> = Map<Owner, Waiting[]>;

export function queueFor<Owner, Waiting>(
  queues: Queues<Owner, Waiting>,
  owner: Owner,
  waiting: Waiting,
): void {
  const own = queues.get(owner);
  if (own) own.push(waiting);
  else queues.set(owner, [waiting]);
}

/** Takes its first; for what else it has it comes behind all others. */
export function takeFirstFor<Owner, Waiting>(queues: Queues<Owner, Waiting>, owner: Owner): Waiting {
  const own = queues.get(owner)!;
  queues.delete(owner);
  const first = own.shift()!;
  if (own.length > 0) queues.set(owner, own);
  return first;
}
