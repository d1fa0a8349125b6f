import type { Parts } from './parts.ts';
import { type Payer, RecentWork, WithoutBudget, workFor } from './processor-time.ts';
import { type Queues, queueFor, takeFirstFor } from './queues.ts';

/**
 * So long the work of all requests together takes of one turn of the event loop, and by a part longer at most. What is
 * left goes on in later turns, first of those for whom this process did least lately, where all accounts below a platform count as
 * one: nobody waits behind one who asks for much.
 */
const TURN_MILLIS = 5;

/**
 * For whom less was done lately does not wait behind those for whom more was, while such have not used up a share of the turn
 * of their own: else each step of a small request, of which it has ten, would wait for a part of a large one. Beside one for whom
 * much was done it is a quarter of that, as all takes longer then, up to a bound.
 */
const LIGHT_MILLIS = 50;
const LIGHT_PART = 1 / 4;
const MOST_LIGHT_MILLIS = 400;

/** For whom the database worked so long lately keeps it busy: one account, or all below a platform. */
const BUSY_DATABASE_MILLIS = 400;
const BUSY_PLATFORM_MILLIS = 2000;

/**
 * Between two turns with such work the loop goes round so often, within the time of a turn, or while small requests or new connections are about until it
 * has found nothing to do so often: it takes one new connection in a round (libuv from 1.45 on), so that a new client would wait
 * behind each part of the work and each client before it.
 */
const ROUNDS = 10;
/** A round that takes longer has done something. */
const IDLE_MILLIS = 0.2;
/** Who was about so long ago is so still; a statement that waits for longer is not waited for. */
const ABOUT_MILLIS = 100;

/**
 * For them that takes four times as long as the last such turn did at most, as one part may take several turns' time, and so long: what is done
 * in long parts has a fifth of the loop while there is anything else to do.
 */
const FREE_TURNS = 4;
const MOST_FREE_MILLIS = 100;

/** So many of those who wait are compared, which takes some 0.1 ms: with a crowd of more, it is the turn of one of those who have waited longest. */
const MOST_LOOKED_AT = 1000;

/** Statements under way of those for whom little was done lately. */
let lightStatements = 0;

/**
 * A statement for somebody is sent; the function that it gives is called when it is answered. While one of those for whom little was done is
 * under way the loop has a turn of its own for it between two with long work: else each of a small request's statements would be answered
 * in the middle of another part.
 */
export function statementSent(payer: Payer): () => void {
  // Others' long work does not wait for one who keeps the database busy.
  if (!isLight(payer) || keepsDatabaseBusy(payer)) return () => {};
  lightStatements++;
  aboutMillis = performance.now();
  return () => {
    lightStatements--;
  };
}

/** A connection has come: others may wait behind it. */
export function connectionCame(): void {
  hasArrived = true;
  connections++;
  aboutMillis = performance.now();
}

/** Work that is done for all, such as an index. */
const FOR_ALL = new WithoutBudget();

/** What waits for its turn, by whom it is done for; whose turn was longest ago is the first. */
const waiting: Queues = new Map();
/** When the share of this turn of the loop ends; 0 where no long work was done in it. */
let endsAtMillis = 0;
/** When it began. */
let beganAtMillis = 0;
/**
 * The same by processor time, where somebody waits: what the system gives to other programs meanwhile is not the share of
 * anybody here. It takes microseconds to ask for, and tens where the system is busy, so it is 0 while nobody waits, and once it is over.
 */
let endsAtProcessorMillis = 0;
/** When the share of those for whom little was done ends in this turn of the loop; 0 where none of it was used. */
let lightEndsAtMillis = 0;
/** When the loop went round last since then; 0 where it has not. */
let wentRoundMillis = 0;
/** When it has gone round long enough, and when so for those who are about. */
let roundUntilMillis = 0;
let freeUntilMillis = 0;
let rounds = 0;
/** How often running it found nothing to do. */
let idleRounds = 0;
let hasArrived = false;
/** How many have come so far. */
let connections = 0;
/** How many followed one in which a new connection was taken. */
let roundsForNew = 0;
/** When a small request or a new connection was seen last. */
let aboutMillis = Number.NEGATIVE_INFINITY;
/** What was done lately for the one for whom most was. */
const most = new RecentWork();

export const connectionsSoFar = (): number => connections;

export const doesLongWorkWait = (): boolean => waiting.size > 0;

/** What is to be waited for before work for somebody goes on; nothing while there is time in this turn of the loop. */
export function turnOf(payer: Payer = FOR_ALL): Promise<void> | undefined {
  if (endsAtMillis === 0) begin();
  else if (isOver() && !mayPass(payer)) return itsTurn(payer);
  return undefined;
}

/**
 * The same where many small pieces follow one another, each in a turn of the loop that has time for it: rows of a page that arrive, or requests
 * that are refused. So who has much done waits until the loop has gone round for others.
 */
export function turnBehindOthers(payer: Payer = FOR_ALL): Promise<void> | undefined {
  if (isLight(payer)) return turnOf(payer);
  if (endsAtMillis === 0) begin();
  return itsTurn(payer);
}

function itsTurn(payer: Payer): Promise<void> {
  return new Promise((resolve) => {
    const goOn = () => {
      // What was done so far counts, also where it was for the same one: for whom least was done is next.
      workFor(undefined);
      workFor(payer);
      resolve();
    };
    queueFor(waiting, payer, goOn);
  });
}

/** The turns of one piece of work that goes on in branches, such as the fields of an operation. */
export class BranchTurns {
  readonly #payer: Payer | undefined;
  #awaited = 0;

  constructor(payer: Payer | undefined) {
    this.#payer = payer;
  }

  /** What a branch is to wait for before it goes on. */
  readonly next = (): Promise<void> | undefined => {
    const turn = turnOf(this.#payer);
    if (!turn) return undefined;
    this.#awaited++;
    return turn.then(() => {
      this.#awaited--;
    });
  };

  /** Calls back when no branch waits for its turn: what they ask for by then is asked for together, in one statement. */
  readonly whenAllHaveAsked = (work: () => void): void => {
    // Behind all promises that are settled by now, as DataLoader has it.
    Promise.resolve().then(() =>
      process.nextTick(() => {
        if (this.#awaited === 0) work();
        else setImmediate(this.whenAllHaveAsked, work);
      }),
    );
  };
}

/**
 * Does the work beside all others; it is done for all where nobody is named.
 * @param assertWanted called behind each wait for a turn: throws where it is not to go on
 */
export async function inTurns<T>(
  parts: Parts<T>,
  payer: Payer = FOR_ALL,
  assertWanted?: () => void,
): Promise<T> {
  workFor(payer);
  for (;;) {
    const turn = turnOf(payer);
    if (turn) {
      await turn;
      assertWanted?.();
    }
    const part = parts.next();
    if (part.done) return part.value;
  }
}

/** Whether little was done lately for it, and for all that it is one of: many accounts of one owner are one. */
function isLight({ recentMillis, above }: Payer): boolean {
  const millis = Math.max(recentMillis, above?.recentMillis ?? 0);
  const mostMillis = most.millis;
  if (millis > mostMillis) most.add(millis - mostMillis);
  return millis < Math.min(Math.max(LIGHT_MILLIS, mostMillis * LIGHT_PART), MOST_LIGHT_MILLIS);
}

function keepsDatabaseBusy({ recentDatabaseMillis = 0, above }: Payer): boolean {
  const ofPlatform = above?.recentDatabaseMillis ?? 0;
  return recentDatabaseMillis >= BUSY_DATABASE_MILLIS || ofPlatform >= BUSY_PLATFORM_MILLIS;
}

function mayPass(payer: Payer): boolean {
  if (!isLight(payer)) return false;
  const now = performance.now();
  if (lightEndsAtMillis === 0) {
    lightEndsAtMillis = now + TURN_MILLIS;
    setImmediate(endLight);
  }
  aboutMillis = now;
  return now < lightEndsAtMillis;
}

function endLight(): void {
  lightEndsAtMillis = 0;
}

function begin(): void {
  beganAtMillis = performance.now();
  endsAtMillis = beganAtMillis + TURN_MILLIS;
  endsAtProcessorMillis = waiting.size > 0 ? processorMillis() + TURN_MILLIS : 0;
  wentRoundMillis = 0;
  rounds = 0;
  idleRounds = 0;
  setImmediate(end);
}

function isOver(): boolean {
  const now = performance.now();
  if (now < endsAtMillis) return false;
  if (endsAtProcessorMillis === 0) return true;
  const left = endsAtProcessorMillis - processorMillis();
  // With what is left in one thread: where others work beside it, a turn is longer by so much at most.
  if (left > 0) endsAtMillis = now + left;
  else endsAtProcessorMillis = 0;
  return left <= 0;
}

function processorMillis(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function end(): void {
  // What a new connection asks is read in the next round; a crowd of them leaves some rounds to others.
  const isForNew = hasArrived && ++roundsForNew % ROUNDS > 0;
  if (waiting.size > 0 && goRound()) {
    if (!isForNew) letLightGoOn();
    return;
  }
  endsAtMillis = 0;
  if (waiting.size === 0) return;
  begin();
  letGoOn(true);
}

/** Whether the loop goes round once more without long work, at once or, where a small request waits for its statement, in a millisecond. */
function goRound(): boolean {
  const now = performance.now();
  if (wentRoundMillis === 0) {
    roundUntilMillis = now + TURN_MILLIS;
    freeUntilMillis =
      now + Math.min(FREE_TURNS * Math.max(now - beganAtMillis, TURN_MILLIS), MOST_FREE_MILLIS);
  } else if (hasArrived || now - wentRoundMillis > IDLE_MILLIS) idleRounds = 0;
  else idleRounds++;
  wentRoundMillis = now;
  hasArrived = false;
  const areAbout = now - aboutMillis < ABOUT_MILLIS;
  if (now >= (areAbout ? freeUntilMillis : roundUntilMillis)) return false;
  if ((areAbout ? idleRounds : rounds++) < ROUNDS) setImmediate(end);
  else if (areAbout && lightStatements > 0) setTimeout(end, 1);
  else return false;
  return true;
}

/** Of the first of those who wait: of all of whom the least was done, where they count as one, the one of whom it was. */
function leastWorkedFor(): Payer {
  let looked = 0;
  let least: Payer | undefined;
  let millisOfLeast = 0;
  let allMillisOfLeast = 0;
  for (const payer of waiting.keys()) {
    if (looked++ === MOST_LOOKED_AT) break;
    const { above, recentMillis } = payer;
    const isOfSame = above !== undefined && above === least?.above;
    const allMillis = isOfSame ? allMillisOfLeast : (above?.recentMillis ?? recentMillis);
    if (least && (isOfSame ? recentMillis >= millisOfLeast : allMillis >= allMillisOfLeast)) continue;
    least = payer;
    millisOfLeast = recentMillis;
    allMillisOfLeast = allMillis;
  }
  return least!;
}

function goOnFor(payer: Payer, next: () => void): void {
  takeFirstFor(waiting, payer)();
  // Behind all the microtasks of what goes on.
  queueMicrotask(() => process.nextTick(next));
}

/** Those for whom little was done do not wait until the loop has gone round. */
function letLightGoOn(): void {
  if (waiting.size === 0) return;
  const payer = leastWorkedFor();
  if (mayPass(payer)) goOnFor(payer, letLightGoOn);
}

/** Lets the first go on, however slow the machine is, and the others behind it while there is time. */
function letGoOn(isFirst = false): void {
  if (waiting.size === 0 || (!isFirst && isOver())) return;
  goOnFor(leastWorkedFor(), letGoOn);
}
