import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNT_HEADER } from '../../src/auth/caller.ts';
import { accountIdOf } from '../../src/domain/credentials.ts';
import type { ClientCredentials } from '../../src/services/clients/create.ts';
import type { Owner } from '../bench/compare/fill.ts';

/** Of an answer, enough to know what it is. */
const READ_CHARACTERS = 100_000;
const PATIENCE_MILLIS = 15_000;

export interface Answer {
  status: number;
  /** Its beginning. */
  text: string;
}

/** Whom a process of the suite speaks for, and from which address: the limits of addresses are to be each one's own. */
export interface Caller {
  port: number;
  address: string;
  owner: Owner;
  /** Where the account is below a platform. */
  below?: Below;
}

export interface Below {
  platform: ClientCredentials;
  /** By the platform's token and the header that names the account, or by a token of its own for a device. */
  by: 'header' | 'device';
}

const TRIES = 10;

/** Does what must succeed before anything is measured: the service may still be busy with what was before. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES) throw error;
      await sleep(1000);
    }
  }
}

const bearing = (token: string) => ({ Authorization: `Bearer ${token}` });

function granted({ status, text }: Answer) {
  if (status !== 200) throw new Error(`no token: ${status} ${text}`);
  return JSON.parse(text);
}

/** A client of the service, which it reaches at the loopback address from an address of its own. */
export class Client {
  readonly #caller: Caller;
  readonly #agent: Agent;
  #authorization: Record<string, string> = {};
  #asPlatform: Record<string, string> = {};

  constructor(caller: Caller) {
    this.#caller = caller;
    this.#agent = new Agent({ keepAlive: true, localAddress: caller.address });
  }

  get collectionIds(): readonly string[] {
    return this.#caller.owner.collectionIds;
  }

  get authorization(): Record<string, string> {
    return this.#authorization;
  }

  /** That of the platform for itself. */
  get asPlatform(): Record<string, string> {
    return this.#asPlatform;
  }

  /** @param first has the token of its platform already: a client may ask for few */
  async logIn(first?: Client): Promise<void> {
    const { owner, below } = this.#caller;
    if (!below) {
      this.#authorization = bearing(await this.#tokenOf(owner, 'default'));
      return;
    }
    this.#asPlatform = first?.asPlatform ?? bearing(await this.#tokenOf(below.platform, 'platform'));
    this.#authorization =
      below.by === 'device'
        ? bearing(await this.#deviceToken())
        : { ...this.#asPlatform, [ACCOUNT_HEADER]: accountIdOf(owner.accountId) };
  }

  async #tokenOf({ clientId, clientSecret }: ClientCredentials, scope: string): Promise<string> {
    const answer = await this.requestToken(clientId, clientSecret, scope);
    return granted(answer).access_token;
  }

  async #deviceToken(): Promise<string> {
    const path = `/account/${accountIdOf(this.#caller.owner.accountId)}/token`;
    const answer = await this.send('POST', path, { scope: 'default', expiresIn: 3600 }, this.#asPlatform);
    return granted(answer).accessToken;
  }

  requestToken(clientId: string, clientSecret: string, scope = 'default'): Promise<Answer> {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope,
    });
    return this.send('POST', '/oauth2/token', String(form), {
      'Content-Type': 'application/x-www-form-urlencoded',
    });
  }

  /** Sends a request of the account; an object is sent as JSON. `Connection: close` takes a connection of its own. */
  send(
    method: string,
    path: string,
    body?: string | Buffer | object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isWritten = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
    const text = isWritten ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      let isAnswered = false;
      const outgoing = this.open(method, path, text, headers, (response) => {
        isAnswered = true;
        let beginning = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (beginning.length < READ_CHARACTERS) beginning += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode!, text: beginning }));
        response.on('error', reject);
      });
      const patience = setTimeout(() => outgoing.destroy(new Error('no answer in time')), PATIENCE_MILLIS);
      outgoing.on('close', () => clearTimeout(patience));
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // A connection that nobody used was closed meanwhile: clients send once more then.
        if (!isAnswered && outgoing.reusedSocket && error.code === 'ECONNRESET')
          resolve(this.send(method, path, body, { ...headers, Connection: 'close' }));
        else reject(error);
      });
    });
  }

  /** Sends a request and leaves the answer to `take`. */
  open(
    method: string,
    path: string,
    text: string | Buffer | undefined,
    headers: Record<string, string>,
    take: (response: IncomingMessage) => void,
  ) {
    const { port, address } = this.#caller;
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        localAddress: address,
        agent: headers.Connection === 'close' ? false : this.#agent,
        method,
        path,
        headers: {
          ...this.authorization,
          ...(text !== undefined && {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(text),
          }),
          ...headers,
        },
      },
      take,
    );
    outgoing.end(text);
    return outgoing;
  }

  graphql(query: string, variables?: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', '/graphql', { query, variables }, { Accept: 'application/json', ...headers });
  }

  /** A bare connection. */
  connect(): Socket {
    const { port, address } = this.#caller;
    return connect({ host: '127.0.0.1', port, localAddress: address });
  }

  close(): void {
    this.#agent.destroy();
  }
}
