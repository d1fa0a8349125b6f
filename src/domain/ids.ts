import { randomBytes } from 'node:crypto';

/** The types that have ids; every id is `<prefix>_<rest>` (decisions §6). */
export const ID_PREFIXES = {
  Account: 'acc',
  Collection: 'col',
  Transaction: 'txn',
  TransactionSummary: 'sum',
  Product: 'prd',
  Variant: 'var',
  ProductEv: 'pev',
  PriceAlert: 'alr',
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
const RANDOM_CHARACTERS = 16;
const MAX_STEP_BITS = 40;

let lastMillis = 0;
let lastRandom = 0n;

/**
 * A new id that sorts by creation time and cannot be guessed: 48 bits of milliseconds and 80 random bits in
 * Crockford's base32 (the layout of a ULID). Within one millisecond the random part grows by a random step, so that
 * ids made by one process are strictly ascending.
 */
export function newId(type: 'Collection' | 'Transaction' | 'PriceAlert', millis: number): string {
  if (millis > lastMillis) {
    lastMillis = millis;
    lastRandom = randomBits(80) >> 1n;
  } else {
    lastRandom += 1n + randomBits(MAX_STEP_BITS);
  }
  const rest = base32(BigInt(lastMillis), TIME_CHARACTERS) + base32(lastRandom, RANDOM_CHARACTERS);
  return `${ID_PREFIXES[type]}_${rest}`;
}

function randomBits(bits: number): bigint {
  return BigInt(`0x${randomBytes(bits / 8).toString('hex')}`);
}

function base32(value: bigint, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) {
    text = CROCKFORD[Number(value & 31n)] + text;
    value >>= 5n;
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
