import { connectionsSoFar, doesLongWorkWait } from './in-turns.ts';
import { type Payer, workFor, workUntilTold } from './processor-time.ts';
import { type Queues, queueFor, takeFirstFor } from './queues.ts';

/** So long the steps of requests take of one turn of the loop, and by a step longer at most: some hundred may come in one. */
const STEPS_MILLIS = 30;
/** Behind a new connection it is so long, and then they are put off for so long while each turn has one: the loop takes one in a turn, and others may wait. */
const STEPS_AMONG_CONNECTIONS_MILLIS = 5;
const STEPS_PUT_OFF_MILLIS = 10;
/**
 * What waits for its step, by whose turn it is: one of each account that is below no platform, and of each platform, before any has its second; of a
 * platform one of each account below it.
 */
const steps = new Map<Payer, Queues>();
/** When they end in this turn of the loop; undefined before its first. */
let stepsEndAtMillis: number | undefined;
let stepsPutOffUntilMillis = 0;
/** Not in this turn. */
let areStepsPutOff = false;
/** The next turn of the loop has steps. */
let stepsAreComing = false;
/** How many connections had come by the last turn with steps. */
let connectionsSeen = 0;

/**
 * What a request waits for before its next step: it is admitted, does its work and writes its answer each with all that came in the
 * same turn of the loop, one behind the other. So the processor has the code of a step at hand, which is a fifth of the time of a
 * small request where many come at once (docs/architecture.md#what-we-make-by-hand). Nothing where long work waits, whose turn would come between.
 */
export function stepOf(payer: Payer): Promise<void> | undefined {
  if (doesLongWorkWait()) return undefined;
  return new Promise((resolve) => {
    const house = payer.above ?? payer;
    const accounts: Queues = steps.get(house) ?? new Map();
    queueFor(accounts, payer, resolve);
    steps.set(house, accounts);
    letStepCome();
  });
}

function letStepCome(): void {
  if (!stepsAreComing) {
    stepsAreComing = true;
    setImmediate(startSteps);
  }
  setImmediate(takeStep);
  // Behind all that the step does at once: what the loop has next is for others.
  setImmediate(workFor, undefined);
}

function startSteps(): void {
  stepsAreComing = false;
  stepsEndAtMillis = undefined;
  areStepsPutOff = hasConnectionCome() && performance.now() < stepsPutOffUntilMillis;
  if (areStepsPutOff) connectionsSeen = connectionsSoFar();
}

function takeStep(): void {
  if (areStepsPutOff || !isTimeForStep()) {
    letStepCome();
    return;
  }
  const [house, accounts] = firstOf(steps);
  const [payer] = firstOf(accounts);
  const take = takeFirstFor(accounts, payer);
  steps.delete(house);
  if (accounts.size > 0) steps.set(house, accounts);
  workUntilTold(payer);
  take();
}

/** The first of a turn is taken in any case. */
function isTimeForStep(): boolean {
  const now = performance.now();
  if (stepsEndAtMillis !== undefined) return now < stepsEndAtMillis;
  stepsEndAtMillis = now + (hasConnectionCome() ? STEPS_AMONG_CONNECTIONS_MILLIS : STEPS_MILLIS);
  stepsPutOffUntilMillis = stepsEndAtMillis + STEPS_PUT_OFF_MILLIS;
  connectionsSeen = connectionsSoFar();
  return true;
}

function hasConnectionCome(): boolean {
  return connectionsSoFar() !== connectionsSeen;
}

function firstOf<K, V>(map: ReadonlyMap<K, V>): [K, V] {
  return map.entries().next().value!;
}
