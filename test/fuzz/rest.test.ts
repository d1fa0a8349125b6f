import fc, { type GeneratorValue } from 'fast-check';
import { expect } from 'vitest';
import { ACCOUNT_HEADER } from '../../src/auth/caller.ts';
import { DOCUMENT } from '../http/routes.ts';
import type { KnownIds } from './account.ts';
import { describeFuzz } from './describe.ts';
import { damaged, hostileText, hostileValue, INTERNALS, oneOf, rarely } from './values.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Operation {
  parameters?: { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const SCHEMAS = DOCUMENT.components!.schemas as Record<string, Schema>;
const ROUTES = Object.entries(DOCUMENT.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

/** Good texts of what the document has no values of; some are good only at times. */
const SAMPLES: Record<string, string[]> = {
  cursor: ['0', '1', '2', '9'],
  pageSize: ['1', '2', '50', '200'],
  q: ['command', 'class:ninja -x', 'number:wtr001 or price<5', '"crown of"'],
  searchQuery: ['command', 'quantity>1', 'class:ninja'],
  setType: ['Wtr1stEdition', 'Hnt'],
  occurredDate: ['2026-04-13', '2024-02-29', '1970-01-01'],
  'Idempotency-Key': ['a', 'b', 'c'],
  'If-Match': ['"1"', '"2"', '*', 'W/"1"'],
  'If-None-Match': ['"1"', '*', 'W/"1", "2"'],
  name: ['Binder', ' Vault ', 'x'.repeat(100)],
};

function goodText(draw: GeneratorValue, name: string, ids: KnownIds): string {
  if (name === ACCOUNT_HEADER) return oneOf(draw, ids.account);
  const [, kind] = /^(\w+)Id$/.exec(name) ?? [];
  return oneOf(draw, ids[kind as keyof KnownIds] ?? SAMPLES[name] ?? ['x']);
}

/** A value as the schema has it, at times with a part that is not. */
function jsonOf(draw: GeneratorValue, schema: Schema, name: string, ids: KnownIds): unknown {
  if (rarely(draw, 12)) return draw(() => hostileValue);
  if (schema.$ref) return jsonOf(draw, SCHEMAS[schema.$ref.split('/').at(-1)!]!, name, ids);
  if (schema.anyOf) return jsonOf(draw, oneOf(draw, schema.anyOf), name, ids);
  if (schema.enum) return oneOf(draw, schema.enum);
  const type = oneOf(draw, [schema.type ?? 'string'].flat());
  if (type === 'null') return null;
  if (type === 'boolean') return draw(fc.boolean);
  if (type === 'integer' || type === 'number') {
    const { minimum = 0, maximum = 1e9 } = schema;
    return oneOf(draw, [minimum, maximum, 1, 2, type === 'integer' ? 40 : 0.0001]);
  }
  if (type !== 'object') return goodText(draw, name, ids);
  const entries = Object.entries(schema.properties ?? {})
    .filter(([key]) => !rarely(draw, schema.required?.includes(key) ? 25 : 3))
    .map(([key, inner]): [string, unknown] => [key, jsonOf(draw, inner, key, ids)]);
  if (rarely(draw, 20)) entries.push([draw(() => hostileText), draw(() => hostileValue)]);
  return Object.fromEntries(entries);
}

const asHeader = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, '').trim();

function textOf(draw: GeneratorValue, schema: Schema, name: string, ids: KnownIds): string {
  if (rarely(draw, 8)) return draw(() => hostileText);
  const { enum: values } = schema.$ref ? SCHEMAS[schema.$ref.split('/').at(-1)!]! : schema;
  return values ? String(oneOf(draw, values)) : goodText(draw, name, ids);
}

interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

function requestOf(draw: GeneratorValue, ids: KnownIds): Sent {
  const { path: template, method, parameters = [], requestBody } = oneOf(draw, ROUTES);
  let path = template;
  const query: string[] = [];
  const headers: Record<string, string> = {};
  for (const { name, in: place, required, schema } of parameters) {
    if (place === 'path') {
      // A lone surrogate has no place in a URL.
      path = path.replace(`{${name}}`, () =>
        encodeURIComponent(textOf(draw, schema, name, ids).toWellFormed()),
      );
      continue;
    }
    // Most of what it names is not there for whoever acts for it.
    if (name === ACCOUNT_HEADER ? !rarely(draw, 10) : rarely(draw, required ? 20 : 2)) continue;
    const text = textOf(draw, schema, name, ids);
    if (place === 'header') headers[name] = asHeader(text);
    else
      query.push(
        `${name}=${rarely(draw, 10) ? text.replaceAll(/[#\s]/g, '') : encodeURIComponent(text.toWellFormed())}`,
      );
  }
  if (rarely(draw, 20))
    query.push(oneOf(draw, ['unknown=1', 'sort=x&sort=y', '%', '__proto__=1', '%00=1', '&&']));
  const sent = { method, path: path + (query.length > 0 ? `?${query.join('&')}` : ''), headers };
  if (!requestBody) return sent;
  const [type, { schema }] = Object.entries(requestBody.content)[0]!;
  headers['Content-Type'] = rarely(draw, 25) ? 'text/plain' : type;
  const value = jsonOf(draw, schema, '', ids);
  const whole = type.endsWith('json')
    ? JSON.stringify(value)
    : String(
        new URLSearchParams(
          Object.entries(value ?? {}).map(([key, text]) => [
            key,
            typeof text === 'string' ? text : JSON.stringify(text),
          ]),
        ),
      );
  return { ...sent, body: rarely(draw, 12) ? damaged(draw, whole) : whole };
}

describeFuzz(
  'any request of the document, good or broken',
  'is answered as documented, never with 5xx, and stores nothing that breaks a rule',
  {
    requestOf,
    async expectAnswer({ method, path, headers, body }, { app, ids, note }) {
      // The harness holds every answer against the document.
      const answer = await app.send(method, path, body, headers);
      note(answer.status);
      expect(answer.status).toBeLessThan(500);
      const { detail, error_description } = answer.body;
      expect(`${detail} ${error_description}`).not.toMatch(INTERNALS);
      for (const kind of ['collection', 'transaction'] as const) {
        const id = answer.body[`${kind}Id`];
        if (typeof id === 'string' && !ids[kind].includes(id)) ids[kind].unshift(id);
      }
    },
    // Both good and broken ones.
    outcomes: [200, 400, 404],
  },
);
