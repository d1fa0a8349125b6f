import type { Logger } from 'pino';
import { expect, it } from 'vitest';
import { unavailable } from '../../src/db/errors.ts';
import { createFailureLog } from '../../src/observability/failure-log.ts';

it('tells of what is not available once a second for each message, and of all else each time', () => {
  let millis = 0;
  const lines: [string, object][] = [];
  const logger = { error: (fields: object, text?: string) => void lines.push([text!, fields]) };
  const log = createFailureLog(logger as Pick<Logger, 'error'>, () => millis);
  const busy = () => unavailable('busy');
  for (let i = 0; i < 1000; i++) log(busy(), `r${i}`, 'failed');
  log(unavailable('gone'), 'other', 'failed');
  expect(lines).toEqual([
    ['service unavailable', { err: busy(), requestId: 'r0' }],
    ['service unavailable', { err: unavailable('gone'), requestId: 'other' }],
  ]);
  millis = 1000;
  for (const id of ['a', 'b']) log(busy(), id, 'failed');
  expect(lines.slice(2)).toEqual([['service unavailable', { err: busy(), requestId: 'a', others: 999 }]]);
  for (const id of ['c', 'd']) log(new Error('defect'), id, 'failed');
  expect(lines.slice(3).map(([text]) => text)).toEqual(['failed', 'failed']);
  const undone = (cause: Error) => new Error('left undone', { cause });
  for (const id of ['e', 'f'])
    for (const why of ['busy', 'gone']) log(undone(unavailable(why)), id, 'failed');
  expect(lines.slice(5)).toEqual([
    ['service unavailable', { err: undone(busy()), requestId: 'e' }],
    ['service unavailable', { err: undone(unavailable('gone')), requestId: 'e' }],
  ]);
});

it('keeps a hundred messages, which may name what clients have chosen', () => {
  const lines: object[] = [];
  const logger = { error: (fields: object) => void lines.push(fields) };
  const log = createFailureLog(logger as Pick<Logger, 'error'>, () => 0);
  const tell = (issuer: number) => log(unavailable(`issuer ${issuer} does not answer`), 'r', 'failed');
  for (let i = 0; i < 100; i++) tell(i);
  tell(0);
  expect(lines).toHaveLength(100);
  tell(100);
  tell(1);
  expect(lines).toHaveLength(102);
});
