import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client, Request } from './client.ts';
import { type Follower, follow } from './follower.ts';
import { creation, deletion, page, reading, update } from './requests.ts';

/** What is there in the end, held against what clients were told. */
export interface Outcome {
  /** Changes that were acknowledged. */
  acknowledged: number;
  /** Acknowledged changes that are not there. */
  lost: number;
  /** Transactions beside one for each request. */
  doubled: number;
  /** Changes of which a node of another version said, when they were repeated, that their key was used: they are to be there. */
  mismatched: number;
  /** Deletions that were told to wait, and then that there is nothing: the database was lost as they were committed. */
  gone: number;
  events: number;
  /** Streams of events that ended, and were resumed. */
  cuts: number;
  /** Events, and transactions, that followers were not told of. */
  missedEvents: number;
  doubledEvents: number;
}

const WRITERS = 2;
const PAUSE_MILLIS = 40;
const PAGE_SIZE = 200;
const KEPT = 5;
const LAST_NAME = 'The last event';
/** Which every installation has. */
const VARIANTS = ['var_bbazf1f2kzz1kq6z', 'var_pg7abcvnksv24vna', 'var_wvw769mp8vs0xtgf'];

/** A transaction, by its unit amount in cents, which no other of the collection has. */
interface Entry {
  cents: number;
  /** Null where a node of another version has told that it is there. */
  id: string | null;
  quantity: number;
  isDeleted: boolean;
}

interface LedgerRow {
  transactionId: string;
  quantity: number;
  unitAmount: { value: number };
}

/** A collection of an account: its writers, each with transactions of its own, who also read, and one who follows it. */
export class Shop {
  readonly #client: Client;
  readonly #token: string;
  readonly #collectionId: string;
  readonly #follower: Follower;
  readonly #entries: Entry[] = [];
  readonly #running: Promise<unknown>;
  #acknowledged = 0;
  #mismatched = 0;
  #gone = 0;
  #cents = 0;
  #isStopping = false;

  static async open(client: Client, token: string): Promise<Shop> {
    const body = { name: 'Cluster' };
    const made = await client.send(token, { name: 'REST: open', method: 'POST', path: '/collection', body });
    const { collectionId } = made!.body;
    const follower = follow(client.url, token, collectionId);
    await follower.connected;
    return new Shop(client, token, collectionId, follower);
  }

  private constructor(client: Client, token: string, collectionId: string, follower: Follower) {
    this.#client = client;
    this.#token = token;
    this.#collectionId = collectionId;
    this.#follower = follower;
    this.#running = Promise.all(Array.from({ length: WRITERS }, () => this.#write()));
    this.#running.catch(() => {});
  }

  /** Lets the writers end what they do, and the follower hear of it. */
  async settle(): Promise<Outcome> {
    this.#isStopping = true;
    await this.#running;
    const path = `/collection/${this.#collectionId}`;
    const body = { name: LAST_NAME, valued: true, description: '', pinned: false, image: 0 };
    await this.#done({ name: 'REST: rename', method: 'PUT', path, body });
    await this.#follower.untilNamed(LAST_NAME);
    await this.#follower.stop();
    const rows = await this.#ledger();
    const byCents = new Map(rows.map((row) => [Math.round(row.unitAmount.value * 100), row]));
    return {
      acknowledged: this.#acknowledged,
      lost: this.#entries.filter((entry) => isLost(entry, byCents.get(entry.cents))).length,
      doubled: rows.length - byCents.size,
      mismatched: this.#mismatched,
      gone: this.#gone,
      ...eventsOf(this.#follower, rows),
    };
  }

  async #write(): Promise<void> {
    const own: Entry[] = [];
    for (let turn = 0; !this.#isStopping; turn++) {
      const byRest = Math.floor(turn / 6) % 2 === 0;
      if (turn % 6 < 2) own.push(...(await this.#create(byRest)));
      else if (turn % 6 === 2 && own.length > 0) await this.#update(byRest, own[turn % own.length]!);
      else if (turn % 6 === 3 && own.length > KEPT) await this.#delete(byRest, own.shift()!);
      else await this.#read(turn);
      await sleep(PAUSE_MILLIS);
    }
  }

  /** Gives it where it can be changed. */
  async #create(byRest: boolean): Promise<Entry[]> {
    const cents = ++this.#cents;
    const entry = { cents, quantity: 1 + (cents % 7), variantId: VARIANTS[cents % VARIANTS.length]! };
    const body = await this.#done(creation(byRest, this.#collectionId, entry));
    if (!body) return [];
    const id: string | null = body.transactionId ?? body.data?.result?.transaction?.id ?? null;
    const made = { cents, id, quantity: entry.quantity, isDeleted: false };
    this.#entries.push(made);
    return id === null ? [] : [made];
  }

  async #update(byRest: boolean, entry: Entry): Promise<void> {
    const quantity = entry.quantity + 10;
    if (await this.#done(update(byRest, entry.id!, quantity))) entry.quantity = quantity;
  }

  async #delete(byRest: boolean, entry: Entry): Promise<void> {
    if (await this.#done(deletion(byRest, entry.id!))) entry.isDeleted = true;
  }

  async #read(turn: number): Promise<void> {
    const request = reading(turn, this.#collectionId);
    const answer = await this.#client.send(this.#token, request);
    if (answer && (answer.status !== 200 || answer.body.errors)) this.#client.fail(request, answer);
  }

  /** The answer's body where the change is acknowledged. */
  async #done(request: Request): Promise<Answer['body'] | null> {
    const answer = await this.#client.send(this.#token, request);
    if (!answer) return null;
    const isMismatched = answer.isRepeated && problemOf(answer) === 'IdempotencyMismatch';
    // An earlier try of a deletion has done it.
    const mayBeDone = answer.isRepeated || answer.wasUnavailable;
    const isGone = mayBeDone && request.method === 'DELETE' && answer.status === 404;
    if (!isMismatched && !isGone && problemOf(answer) !== null) {
      this.#client.fail(request, answer);
      return null;
    }
    if (isMismatched) this.#mismatched++;
    if (isGone && !answer.isRepeated) this.#gone++;
    this.#acknowledged++;
    return answer.body ?? {};
  }

  async #ledger(): Promise<LedgerRow[]> {
    const rows: LedgerRow[] = [];
    for (let cursor: number | undefined = 0; cursor !== undefined; ) {
      const answer = await this.#client.send(this.#token, page(this.#collectionId, PAGE_SIZE, cursor));
      const { results, nextCursor }: { results: LedgerRow[]; nextCursor?: number } = answer!.body;
      rows.push(...results);
      cursor = nextCursor;
    }
    return rows;
  }
}

/** The name of what is wrong, by either transport; null where nothing is. */
function problemOf({ status, body }: Answer): string | null {
  if (status >= 300) return body.type.split('/').at(-1);
  if (body?.errors) return JSON.stringify(body.errors);
  const type: string = body?.data?.result?.__typename ?? 'Payload';
  return type.endsWith('Payload') ? null : type;
}

function isLost({ id, quantity, isDeleted }: Entry, row: LedgerRow | undefined): boolean {
  if (isDeleted || !row) return isDeleted !== !row;
  return id !== null && (row.transactionId !== id || row.quantity !== quantity);
}

/** A collection numbers its events without a gap. */
function eventsOf({ numbers, transactionIds, cuts }: Follower, rows: LedgerRow[]) {
  const distinct = new Set(numbers);
  const untold = rows.filter(({ transactionId }) => !transactionIds.has(transactionId)).length;
  return {
    events: numbers.length,
    cuts: cuts(),
    missedEvents: numbers.at(-1)! - numbers[0]! + 1 - distinct.size + untold,
    doubledEvents: numbers.length - distinct.size,
  };
}
