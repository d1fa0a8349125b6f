import { randomFillSync, randomUUID } from 'node:crypto';

/** The types that have ids; every id is `<prefix>_<rest>` (docs/decisions.md#ids). */
export const ID_PREFIXES = {
  Account: 'acc',
  Collection: 'col',
  Transaction: 'txn',
  TransactionSummary: 'sum',
  Product: 'prd',
  Variant: 'var',
  ProductEv: 'pev',
  PriceAlert: 'alr',
  Set: 'set',
  ImportPreview: 'imp',
  Webhook: 'whk',
  WebhookDelivery: 'msg',
} as const;

export type NodeType = keyof typeof ID_PREFIXES;

const TYPE_OF_PREFIX = new Map(
  Object.entries(ID_PREFIXES).map(([type, prefix]) => [prefix as string, type as NodeType]),
);

const ID_PATTERN = /^([a-z]{3})_[0-9A-Za-z_-]{1,100}$/;

/** The type that an id names, or null where it is no id of ours. */
export function typeOfId(id: string): NodeType | null {
  const prefix = ID_PATTERN.exec(id)?.[1];
  return (prefix && TYPE_OF_PREFIX.get(prefix)) || null;
}

export function isIdOf(type: NodeType, id: string): boolean {
  return typeOfId(id) === type;
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARACTERS = 10;
/** Of each half of the random part: 40 bits, which a double holds. */
const HALF_CHARACTERS = 8;
const HALF_BYTES = 5;
const HALF = 2 ** 40;

let lastMillis = 0;
let lastHigh = 0;
let lastLow = 0;

/**
 * A new id that sorts by creation time and cannot be guessed: 48 bits of milliseconds and 80 random bits in
 * Crockford's base32 (the layout of a ULID). Within one millisecond the random part grows by a random step, so that
 * ids made by one process are strictly ascending.
 */
export function newId(
  type: 'Collection' | 'Transaction' | 'PriceAlert' | 'ImportPreview' | 'Webhook' | 'WebhookDelivery',
  millis: number,
): string {
  if (millis > lastMillis) {
    lastMillis = millis;
    // Half of what there is, so that steps have room.
    lastHigh = Math.floor(randomHalf() / 2);
    lastLow = randomHalf();
  } else {
    lastLow += 1 + randomHalf();
    if (lastLow >= HALF) {
      lastLow -= HALF;
      lastHigh += 1;
    }
  }
  const random = base32(lastHigh, HALF_CHARACTERS) + base32(lastLow, HALF_CHARACTERS);
  return `${ID_PREFIXES[type]}_${base32(lastMillis, TIME_CHARACTERS)}${random}`;
}

/**
 * A new id of an account below another, a UUID of version 7: it sorts by creation time, so that the newest stand together in
 * an index, and has 74 random bits.
 */
export function newAccountUuid(millis: number): string {
  const random = randomUUID();
  const time = millis.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

/** Asking for a few bytes costs as much as asking for many. */
const randomPool = new Uint8Array(HALF_BYTES * 200);
let poolUsed = randomPool.length;

/** 40 random bits, which nobody else is given. */
function randomHalf(): number {
  if (poolUsed === randomPool.length) {
    randomFillSync(randomPool);
    poolUsed = 0;
  }
  let half = 0;
  for (let i = 0; i < HALF_BYTES; i++) half = half * 256 + randomPool[poolUsed++]!;
  return half;
}

function base32(value: number, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) {
    text = CROCKFORD[value % 32] + text;
    value = Math.floor(value / 32);
  }
  return text;
}

/** A summary has no row id of its own: it is known by its collection and variant. */
export function summaryId(collectionId: string, variantId: string): string {
  return `sum_${collectionId.slice(4)}_${variantId.slice(4)}`;
}

/** The collection and variant of a summary's id, or null where it has another shape. */
export function parseSummaryId(id: string): { collectionId: string; variantId: string } | null {
  const match = /^sum_([0-9a-z]+)_([0-9a-z]+)$/.exec(id);
  return match && { collectionId: `col_${match[1]}`, variantId: `var_${match[2]}` };
}

export function productEvId(setType: string, productType: string): string {
  return `pev_${setType}_${productType}`;
}

export function parseProductEvId(id: string): { setType: string; productType: string } | null {
  const match = /^pev_([0-9A-Za-z]+)_([A-Za-z]+)$/.exec(id);
  return match && { setType: match[1]!, productType: match[2]! };
}

/** The id of the event `sequence` of a stream, which is a collection's id or another name. */
export function eventId(stream: string, sequence: number): string {
  return `evt_${stream}_${sequence}`;
}

export function parseEventId(id: string): { stream: string; sequence: number } | null {
  const match = /^evt_([0-9a-z_]+)_(\d{1,15})$/.exec(id);
  return match && { stream: match[1]!, sequence: Number(match[2]) };
}
