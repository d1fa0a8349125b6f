import { OperationTypeNode } from 'graphql';
import { parseAccept } from 'hono/utils/accept';

const JSON_TYPES = ['application/json', 'application/graphql-response+json'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

const EVENTS = 'text/event-stream';

/** The type of JSON that an `Accept` likes most, of two alike the one that it names first; undefined where it takes none. */
export function jsonTypeFor(accept: string | null): JsonType | undefined {
  if (accept === JSON_TYPES[0]) return accept;
  const ranges = rangesOf(accept);
  const taken = JSON_TYPES.map((type) => ({ type, range: rangeOf(ranges, type) })).filter(isTaken);
  // Once for each type: a header may name thousands of ranges.
  const first = ranges.find((range) => taken.some((one) => one.range === range));
  return taken.find(({ range }) => range === first)?.type;
}

/** Whether an `Accept` takes events, and no JSON. */
export function takesOnlyEvents(accept: string | null): boolean {
  return !jsonTypeFor(accept) && takes(rangesOf(accept), EVENTS);
}

/** Whether an operation of this kind can be answered in any type that an `Accept` takes. */
export function isAcceptable(accept: string | null, kind: OperationTypeNode): boolean {
  if (kind !== OperationTypeNode.SUBSCRIPTION && jsonTypeFor(accept)) return true;
  return takes(rangesOf(accept), EVENTS);
}

interface Range {
  name: string;
  weight: number;
}

/** What an `Accept` names, without what is not to be in UTF-8; what it likes most comes first. */
function rangesOf(accept: string | null): Range[] {
  return parseAccept(accept || '*/*')
    .filter(({ params }) => charsetOf(params) === 'utf-8')
    .map(({ type, q }) => ({ name: type.toLowerCase(), weight: q }));
}

function charsetOf(params: Record<string, string>): string {
  for (const name in params) if (name.toLowerCase() === 'charset') return params[name]!.toLowerCase();
  return 'utf-8';
}

/** The range that says how much a type is liked: the most specific one that it is in (RFC 9110, section 12.5.1). */
function rangeOf(ranges: readonly Range[], type: string): Range | undefined {
  const named = (name: string) => ranges.find((range) => range.name === name);
  return named(type) ?? named(type.replace(/\/.*/, '/*')) ?? named('*/*');
}

function takes(ranges: readonly Range[], type: string): boolean {
  return isTaken({ range: rangeOf(ranges, type) });
}

function isTaken({ range }: { range: Range | undefined }): boolean {
  return range !== undefined && range.weight > 0;
}
