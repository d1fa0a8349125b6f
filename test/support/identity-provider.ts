import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { NOW } from './clock.ts';

export const AUDIENCE = 'https://cards.app.example';

export interface SigningPair {
  alg: string;
  kid: string;
  publicJwk: JWK;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
}

let pairs = 0;

export async function newPair(alg = 'ES256', crv?: string): Promise<SigningPair> {
  const options = { extractable: true, ...(crv !== undefined && { crv }) };
  const { publicKey, privateKey } = await generateKeyPair(alg, options);
  const kid = `key-${++pairs}`;
  return {
    alg,
    kid,
    publicKey,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
  };
}

export type Claims = { [Name in keyof JWTPayload]?: unknown };
export type Header = Record<string, unknown>;

/** An identity provider in the hands of a test, at a port of this machine. */
export interface StandIn {
  issuer: string;
  /** What it publishes; changed by tests. */
  keys: JWK[];
  /** Its first key. */
  pair: SigningPair;
  /** The paths that it was asked for. */
  asked: string[];
  /** Answers in its place, where it gives true. */
  instead: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** An access token, with changes; a claim that is undefined is left out. */
  token(claims?: Claims, header?: Header, signer?: SigningPair): Promise<string>;
  close(): Promise<void>;
}

/** @param now the time of its tokens, which are good for an hour */
export async function startStandIn(now: () => Date = () => NOW): Promise<StandIn> {
  const pair = await newPair();
  const server: Server = createServer((request, response) => {
    provider.asked.push(request.url!);
    if (provider.instead?.(request, response)) return;
    const { issuer, keys } = provider;
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/jwks` },
      '/jwks': { keys },
    };
    const document = documents[request.url!];
    response.writeHead(document ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: StandIn = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: [pair.publicJwk],
    pair,
    asked: [],
    instead: undefined,
    token(claims = {}, header = {}, { alg, kid, privateKey } = pair) {
      const seconds = Math.floor(now().getTime() / 1000);
      const usual = {
        iss: provider.issuer,
        aud: AUDIENCE,
        sub: 'ada',
        scope: 'openid cardledger:default',
        iat: seconds,
        exp: seconds + 3600,
      };
      return new SignJWT({ ...usual, ...claims } as JWTPayload)
        .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
        .sign(privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return provider;
}
