import { OperationTypeNode } from 'graphql';

const JSON_TYPES = ['application/json', 'application/graphql-response+json'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

const EVENTS = 'text/event-stream';

/** The type of JSON that an `Accept` asks for first, where it takes any. */
export function jsonTypeFor(accept: string | null): JsonType | undefined {
  if (accept === JSON_TYPES[0]) return accept;
  for (const range of rangesOf(accept)) {
    const type = JSON_TYPES.find((type) => isWithin(type, range));
    if (type) return type;
  }
  return undefined;
}

/** Whether an `Accept` takes events, and no JSON. */
export function takesOnlyEvents(accept: string | null): boolean {
  return !jsonTypeFor(accept) && rangesOf(accept).some((range) => isWithin(EVENTS, range));
}

/** Whether an operation of this kind can be answered in any type that an `Accept` takes. */
export function isAcceptable(accept: string | null, kind: OperationTypeNode): boolean {
  const types = [EVENTS];
  if (kind !== OperationTypeNode.SUBSCRIPTION) types.push('multipart/mixed', ...JSON_TYPES);
  return rangesOf(accept).some((range) => types.some((type) => isWithin(type, range)));
}

/** As Yoga reads them: by their order, in UTF-8 alone. */
function rangesOf(accept: string | null): string[] {
  return (accept || '*/*')
    .replaceAll(/\s/g, '')
    .toLowerCase()
    .split(',')
    .flatMap((entry) => {
      const [range, ...parameters] = entry.split(';') as [string, ...string[]];
      const charset = parameters.find((parameter) => parameter.includes('charset='));
      return charset === undefined || charset === 'charset=utf-8' ? range : [];
    });
}

function isWithin(type: string, range: string): boolean {
  const [main, sub] = type.split('/');
  const [wantedMain, wantedSub] = range.split('/');
  return (wantedMain === '*' || wantedMain === main) && (wantedSub === '*' || wantedSub === sub);
}
