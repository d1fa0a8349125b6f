import http, { type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Address, AddressError, type AddressesOf } from './public-address.ts';

export interface OutboundRequest {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /** For all of it, the look-up of the name included. */
  timeoutMillis: number;
  /** Of the answer's body. */
  maxBytes: number;
  /** Ends it before its time. */
  stopping?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Why there is no answer: for whoever named the address, and without what is at it. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
}

/**
 * Sends a request to an address that somebody else named, on a connection of its own. Redirects are not followed: they are
 * answers. Throws `OutboundError`.
 */
export async function sendOut(
  url: URL,
  addressesOf: AddressesOf,
  request: OutboundRequest,
): Promise<OutboundAnswer> {
  const { timeoutMillis, stopping } = request;
  // Not by AbortSignal.any: each would leave something behind at a signal that lives as long as the process.
  const ending = new AbortController();
  const { signal } = ending;
  const end = () => ending.abort();
  const timer = setTimeout(end, timeoutMillis);
  stopping?.addEventListener('abort', end);
  if (stopping?.aborted) end();
  try {
    const addresses = await Promise.race([addressesOf(url), abortOf(signal)]);
    return await exchange(url, addresses, request, signal);
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    throw new OutboundError(reasonOf(error, signal, request), { cause: error });
  } finally {
    clearTimeout(timer);
    stopping?.removeEventListener('abort', end);
  }
}

function reasonOf(error: unknown, signal: AbortSignal, { timeoutMillis }: OutboundRequest): string {
  if (signal.aborted) return `it did not answer within ${timeoutMillis / 1000} s`;
  if (error instanceof AddressError) return error.message;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? `it cannot be reached (${code})` : 'it cannot be reached';
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );
}

function exchange(
  url: URL,
  addresses: Address[],
  { method, headers, body, maxBytes }: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const options = { method, headers, signal, agent: false as const, lookup: only(addresses) };
    let isAnswered = false;
    const outgoing = request(url, options, (incoming) => {
      isAnswered = true;
      const parts: Buffer[] = [];
      let bytes = 0;
      incoming.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes > maxBytes) incoming.destroy(tooLarge(maxBytes));
      });
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode!, headers: incoming.headers, body: Buffer.concat(parts) }),
      );
    });
    // What comes before the answer may come without an end, too.
    outgoing.on('information', () => {
      if (outgoing.socket!.bytesRead > maxBytes) outgoing.destroy(tooLarge(maxBytes));
    });
    outgoing.on('error', reject);
    // Without an error: where it answers with another protocol (101).
    outgoing.on('close', () => {
      if (!isAnswered) reject(new OutboundError('its answer is none of HTTP'));
    });
    outgoing.end(body);
  });
}

function tooLarge(maxBytes: number): OutboundError {
  return new OutboundError(`its answer is larger than ${maxBytes} bytes`);
}

/** In the place of another look-up: the addresses that were checked. */
function only(addresses: Address[]): LookupFunction {
  return (_host, { all }, done) => {
    if (all) done(null, addresses);
    else done(null, addresses[0]!.address, addresses[0]!.family);
  };
}
