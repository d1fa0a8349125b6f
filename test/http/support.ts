import { expect } from 'vitest';
import type { OpenDatabase } from '../../src/db/client.ts';
import { PROBLEMS, type Problem } from '../../src/domain/errors.ts';
import { createClient } from '../../src/services/clients/create.ts';
import { NOW, responseOf, type TestApp, type TestResponse } from '../harness.ts';

export const ORIGIN = 'http://cardledger.test';

/** Ids of the right shape that nothing has. */
export const NO_ACCOUNT = 'acc_00000000-0000-7000-8000-000000000000';
export const NO_COLLECTION = 'col_01kn3w4v5h2c8q6r9t0m1n2p3q';
export const NO_TRANSACTION = 'txn_01kn3w4v5h2c8q6r9t0m1n2p3q';
export const NO_WEBHOOK = 'whk_01kn3w4v5h2c8q6r9t0m1n2p3q';
export const NO_DELIVERY = 'msg_01kn3w4v5h2c8q6r9t0m1n2p3q';

export const usd = (value: number) => ({ currency: 'USD', value });

/** Checks the whole of a problem: status, headers, body, and the places of its breaches in any order. */
export function expectProblem(
  response: TestResponse,
  problem: Problem,
  { pointers, status }: { pointers?: string[]; status?: number } = {},
): void {
  const { body, headers } = response;
  const expectedStatus = status ?? PROBLEMS[problem].status;
  expect({ status: response.status, body }).toMatchObject({
    status: expectedStatus,
    body: { type: `/problems/${problem}`, title: PROBLEMS[problem].title, status: expectedStatus },
  });
  expect(headers.get('Content-Type')).toBe('application/problem+json');
  expect(body.detail).toMatch(/\S/);
  expect(body.instance).toMatch(/^\//);
  expect(body.requestId).toBe(headers.get('X-Request-Id'));
  expect(body.requestId).toMatch(/\S/);
  const isValidation = problem === 'ValidationFailed';
  expect('errors' in body).toBe(isValidation);
  if (isValidation) {
    for (const error of body.errors) expect(error.detail).toMatch(/\S/);
    if (pointers) expect([...pointersOf(response)].sort()).toEqual([...pointers].sort());
  }
}

/** The places of the breaches, each once. */
export function pointersOf({ body }: TestResponse): string[] {
  return [...new Set<string>(body.errors.map(({ pointer }: { pointer: string }) => pointer))];
}

export async function newCollection(app: TestApp, name = 'Binder'): Promise<string> {
  const { status, body } = await app.send('POST', '/collection', { name });
  expect(status).toBe(200);
  return body.collectionId;
}

/** A good request to record a transaction. */
export function purchase(variantId: string, changes: Record<string, unknown> = {}) {
  return {
    variantId,
    occurredDate: '2026-01-31',
    action: 'Purchase',
    quantity: 4,
    unitAmount: usd(10),
    ...changes,
  };
}

/** Records a transaction and gives its body. */
export async function record(
  app: TestApp,
  collectionId: string,
  variantId: string,
  changes: Record<string, unknown> = {},
) {
  const response = await app.send(
    'POST',
    `/collection/${collectionId}/transaction`,
    purchase(variantId, changes),
  );
  expect(response.body).toMatchObject({ variantId });
  return response.body;
}

/** All items of a list, read in pages of `pageSize`, with the sizes of the pages. */
export async function allPages(app: TestApp, path: string, pageSize: number) {
  const separator = path.includes('?') ? '&' : '?';
  const items = [];
  const sizes: number[] = [];
  let cursor: number | undefined = 0;
  while (cursor !== undefined) {
    const { status, body } = await app.send(
      'GET',
      `${path}${separator}pageSize=${pageSize}&cursor=${cursor}`,
    );
    expect(status).toBe(200);
    items.push(...body.results);
    sizes.push(body.results.length);
    cursor = body.nextCursor;
    expect('nextCursor' in body).toBe(cursor !== undefined);
  }
  return { items, sizes };
}

/** The rules (docs/decisions.md#lists) that hold for every list; the list must have 3 items or more. */
export async function expectPagination(app: TestApp, path: string): Promise<void> {
  const separator = path.includes('?') ? '&' : '?';
  const get = (query: string) => app.send('GET', `${path}${separator}${query}`);
  const all = (await get('pageSize=200')).body;
  const total = all.results.length;
  expect(Object.keys(all)).toEqual(['results']);
  expect((await get('cursor=0&pageSize=200')).body).toEqual(all);

  const first = (await get('pageSize=2')).body;
  expect(first).toEqual({ results: all.results.slice(0, 2), nextCursor: 2 });
  const last = (await get(`cursor=${total - 1}&pageSize=1`)).body;
  expect(last).toEqual({ results: all.results.slice(-1) });
  const { items, sizes } = await allPages(app, path, 2);
  expect(items).toEqual(all.results);
  expect(sizes).toHaveLength(Math.ceil(total / 2));

  for (const cursor of [String(total), String(total + 1), '2147483648', '9'.repeat(15), '9'.repeat(40)]) {
    expectProblem(await get(`cursor=${cursor}`), 'NotFound');
  }
  for (const cursor of ['', '-1', '1.5', '1e1', 'x', '%00', '0x1', '%D9%A1']) {
    expectProblem(await get(`cursor=${cursor}`), 'ValidationFailed', { pointers: ['?cursor'] });
  }
  for (const pageSize of ['0', '201', '-1', '1.5', '', 'x', '9'.repeat(40)]) {
    expectProblem(await get(`pageSize=${pageSize}`), 'ValidationFailed', { pointers: ['?pageSize'] });
  }
  expectProblem(await get('cursor=x&pageSize=0'), 'ValidationFailed', { pointers: ['?cursor', '?pageSize'] });
}

/** Another client, of an account that is there, with its own tokens; `renew` gets a new one by the app's clock. */
export async function anotherClient(db: OpenDatabase, app: TestApp) {
  const { clientId, clientSecret } = await createClient(db, {
    accountId: app.accountId,
    name: 'Another',
    now: NOW,
  });
  const form = { grant_type: 'client_credentials', scope: 'default' };
  let token = '';
  const renew = async () => {
    const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret });
    const request = new Request(`${ORIGIN}/oauth2/token`, { method: 'POST', body });
    token = ((await (await app.fetch(request)).json()) as { access_token: string }).access_token;
  };
  await renew();
  const send: TestApp['send'] = (method, path, body, headers = {}) =>
    app.send(method, path, body, { Authorization: `Bearer ${token}`, ...headers });
  return { send, renew };
}

/** Sends a request as it is, with no header but those given. */
export async function sendRaw(
  app: TestApp,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: BodyInit,
): Promise<TestResponse> {
  const init = { method, headers, ...(body !== undefined && { body, duplex: 'half' as const }) };
  return responseOf(await app.fetch(new Request(`${ORIGIN}${path}`, init)));
}
