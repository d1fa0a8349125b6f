import type { ServerOptions } from 'node:http';
import type { TrustedProxies } from '../auth/peer-address.ts';

/** What a connection may take of a process (docs/decisions.md#time-outs), in milliseconds and bytes. */
export interface ConnectionLimits extends ServerOptions {
  /**
   * Open ones of a process; for further ones those who have the most make room, else they are closed at once. As many may wait to be
   * taken: what the system has no place for its client tries again after a second at the earliest.
   */
  maxConnections: number;
  /** Open ones of an address, a trusted proxy excepted; 0 for no limit. */
  maxPerAddress: number;
  /**
   * New ones of an address, a trusted proxy excepted: so many at once, and then as many in so many milliseconds, steadily. Further ones are closed at
   * once. Not where an address has no limit.
   */
  maxNew: number;
  newMillis: number;
  isTrustedProxy: TrustedProxies;
  /** Requests of a connection that came and are not answered yet; one that sends more ahead is closed. */
  maxPipelined: number;
  /** In which a body may come that has less than `PIECE_BYTES` in each: a chunk costs the same, if it has but a byte. */
  maxPieces: number;
  /**
   * Connections of an address, a trusted proxy excepted, that are closed for one of these two in so many milliseconds: further ones are
   * closed at once until that time is over. With each so many, nothing more of the address is read in that turn of the loop. Not where an address
   * has no limit.
   */
  maxCutOff: number;
  cutOffMillis: number;
  /**
   * What all have of answers that their clients do not take, where it is 64 KiB or more: beyond it connections of the account that
   * keeps most of it are reset.
   */
  maxUntaken: number;
  /**
   * For which nothing is read or written: a client that does not take its answer. Subscriptions ping more often, and who waits for an
   * answer that is not begun is not idle.
   */
  idleTimeout: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeout: 5000,
  requestTimeout: 30_000,
  // Node's own 30 s would let slow headers live 35 s, and slow bodies 60. All whose time is up since the last look are told in one turn of the loop.
  connectionsCheckingInterval: 50,
  keepAliveTimeout: 5000,
  maxHeaderSize: 16 * 1024,
  // Node would answer without a problem; `assertReadable` asks for it.
  requireHostHeader: false,
  maxConnections: 5000,
  maxPerAddress: 256,
  maxNew: 256,
  newMillis: 1000,
  isTrustedProxy: () => false,
  maxPipelined: 10,
  maxPieces: 100,
  maxCutOff: 10,
  cutOffMillis: 1000,
  maxUntaken: 64 * 1024 * 1024,
  idleTimeout: 60_000,
};
