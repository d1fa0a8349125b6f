import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { addressGroup, peerAddress, type TrustedProxies } from '../auth/peer-address.ts';
import { takeInTurns } from './arrivals.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { dropLog } from './drop-log.ts';
import { type AnsweringSocket, CUT_OFF, keptBytes, stopReading } from './sockets.ts';

/** How many connections may be open, and which goes where there is no room. */

/** Those of an address: what had no request for the longest time first. */
type Sockets = Set<AnsweringSocket<Socket>>;

/** All that are open of a server. */
const openOf = new WeakMap<Server, Sockets>();

const MAX_COUNTED = 10_000;

/**
 * Closes the connections that an address, or the process, has beyond its limit, before anything is read of them. Where the process has
 * as many as it may, one of an address with at least two more of them makes room for one of another: a few addresses do not keep out all others.
 */
export function boundConnections(server: Server, limits: ConnectionLimits, logger: Logger): void {
  const { maxConnections, maxPerAddress, maxNew, newMillis, maxCutOff, cutOffMillis, isTrustedProxy } =
    limits;
  /** Of each address but the trusted proxies, behind which is everybody. */
  const open = new Map<string, Sockets>();
  const socketsOf = new WeakMap<Duplex, Sockets>();
  const all: Sockets = new Set();
  openOf.set(server, all);
  const log = dropLogs(logger, limits);
  /** How many were cut off of each address, since the first of them. */
  const cutOff = new LRUCache<string, number>({ max: MAX_COUNTED, ttl: cutOffMillis, noUpdateTTL: true });
  /** How many of each were new at a time: time makes them old, steadily. */
  const recent = new LRUCache<string, { count: number; at: number }>({ max: MAX_COUNTED, ttl: newMillis });
  const newOf = (group: string, now: number) => {
    const { count, at } = recent.get(group) ?? { count: 0, at: now };
    return Math.max(0, count - ((now - at) * maxNew) / newMillis);
  };
  const countNew = (group: string) => {
    const now = performance.now();
    recent.set(group, { count: newOf(group, now) + 1, at: now });
  };
  const isOftenCutOff = (group: string) => (cutOff.get(group) ?? 0) >= maxCutOff;
  const whyNot = (group: string, own: number) => {
    if (isOftenCutOff(group)) return log.often;
    if (newOf(group, performance.now()) > maxNew - 1) return log.tooQuick;
    return own >= maxPerAddress ? log.tooMany : undefined;
  };
  const ownOf = (group: string): Own => {
    const sockets = open.get(group);
    return { group, sockets, size: (sockets?.size ?? 0) + held.ofGroup(group) };
  };
  const closeHeld = ({ group }: Own) => (held.ofGroup(group) > 0 ? () => held.closeLastOf(group) : undefined);
  /** What closes one of an address, by what is to go first. */
  const ways: ((own: Own) => (() => void) | undefined)[] = [
    (own) => closeFirst(own, isIdle) ?? closeHeld(own),
    (own) => closeFirst(own, isUnfinished),
    (own) => closeFirst(own, isStalled),
  ];
  /** Closes one of the address with the most that has such, where those are at least two more than it has who comes; whether there was one. */
  const makesRoom = (size: number): boolean => {
    const groups = held.size > 0 ? new Set([...open.keys(), ...held.groups()]) : open.keys();
    const larger = [...groups].map(ownOf).filter((own) => own.size > size + 1);
    for (const way of ways) {
      const close = ofLargest(larger, way);
      close?.();
      if (close) return true;
    }
    return false;
  };
  const isWelcome = (group: string | null) => {
    const size = group === null ? 0 : ownOf(group).size;
    if (group !== null && maxPerAddress > 0) {
      const refuse = whyNot(group, size);
      refuse?.();
      if (refuse) return false;
    }
    if (group !== null) countNew(group);
    if (all.size + held.size < maxConnections) return true;
    log.full();
    return makesRoom(size);
  };
  let taken: string | null = null;
  const held = takeInTurns(server, {
    groupOf: (address) => countedBy(address, isTrustedProxy),
    isWelcome,
    isStillWelcome(group) {
      const isNot = maxPerAddress > 0 && isOftenCutOff(group);
      if (isNot) log.often();
      return !isNot;
    },
    onTaken(group) {
      taken = group;
    },
  });
  server.prependListener('connection', (socket: Socket) => {
    const group = taken;
    const own: Sockets = (group !== null && open.get(group)) || new Set();
    all.add(socket);
    if (group !== null) {
      open.set(group, own.add(socket));
      socketsOf.set(socket, own);
    }
    socket.once('close', () => {
      all.delete(socket);
      own.delete(socket);
      if (group !== null && own.size === 0) open.delete(group);
    });
    socket.once(CUT_OFF, () => {
      log.cutOff();
      if (group === null) return;
      const count = (cutOff.get(group) ?? 0) + 1;
      cutOff.set(group, count);
      if (maxPerAddress > 0 && count % maxCutOff === 0) readNoMoreInTurn(own);
    });
  });
  server.on('request', ({ socket }) => {
    const own = socketsOf.get(socket);
    if (own?.delete(socket)) own.add(socket);
  });
}

/** Closes those on which nothing has come yet. */
export function closeUnused(server: Server): void {
  for (const socket of openOf.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy();
}

/** Those of whose answer the client has still to take some. */
export function untakenOf(server: Server): AnsweringSocket<Socket>[] {
  return [...(openOf.get(server) ?? [])].filter((socket) => keptBytes(socket) > 0);
}

/** Leaves what has come on them to the next turn of the loop: else all would be read in this one, though each may be cut off next. */
function readNoMoreInTurn(sockets: Sockets): void {
  const restarts = [...sockets].flatMap((socket) => stopReading(socket) ?? []);
  setImmediate(() => {
    for (const restart of restarts) restart();
  });
}

/** What the connections of an address are counted by; null for a trusted proxy. */
function countedBy(socketAddress: string, isTrustedProxy: TrustedProxies): string | null {
  const address = peerAddress(socketAddress, undefined, isTrustedProxy);
  return isTrustedProxy(address) ? null : addressGroup(address);
}

/** What an address has, open and held. */
interface Own {
  group: string;
  sockets: Sockets | undefined;
  size: number;
}

/** What is found of the one with the most that has it. */
function ofLargest<T>(owns: readonly Own[], find: (own: Own) => T | undefined): T | undefined {
  let found: T | undefined;
  let most = 0;
  for (const own of owns) {
    const one = own.size > most ? find(own) : undefined;
    if (one === undefined) continue;
    found = one;
    most = own.size;
  }
  return found;
}

type MayGo = (socket: AnsweringSocket) => boolean;

function closeFirst({ sockets }: Own, mayGo: MayGo): (() => void) | undefined {
  for (const socket of sockets ?? [])
    if (!socket.destroyed && mayGo(socket)) return () => void socket.destroy();
  return undefined;
}

const isIdle: MayGo = ({ _httpMessage }) => !_httpMessage;

/** It has still to send what is to be answered. */
const isUnfinished: MayGo = ({ _httpMessage }) =>
  _httpMessage?.headersSent === false && !_httpMessage.req.complete;

/** It does not take its answer, or more slowly than that is made. */
const isStalled: MayGo = ({ _httpMessage, writableNeedDrain }) =>
  _httpMessage?.headersSent === true && writableNeedDrain;

/** The functions that count what is closed, by why it is. */
function dropLogs(logger: Logger, { maxConnections, maxPerAddress, maxNew, maxCutOff }: ConnectionLimits) {
  return {
    tooMany: dropLog(logger, { maxPerAddress }, 'connections were closed at once: too many of one address'),
    tooQuick: dropLog(
      logger,
      { maxNew },
      'connections were closed at once: too many new ones of one address',
    ),
    full: dropLog(logger, { maxConnections }, 'connections were closed: there are too many'),
    often: dropLog(logger, { maxCutOff }, 'connections were closed: too many of their address were cut off'),
    cutOff: dropLog(
      logger,
      {},
      'connections were cut off: too many requests ahead of their answers, or bodies in too many pieces',
    ),
  };
}
