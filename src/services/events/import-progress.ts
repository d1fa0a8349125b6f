import { randomUUID } from 'node:crypto';
import { isIdOf } from '../../domain/ids.ts';
import type { ImportPhase } from '../../domain/transaction-file.ts';
import { assertAwaited, type Context } from '../context.ts';
import { streamKey } from './announce.ts';

/** How far an import, or a preview of one, is. */
export interface ImportStep {
  phase: ImportPhase;
  /** Rows, in this phase. */
  done: number;
  /** Null where that is not known yet. */
  total: number | null;
}

/** Says how far an import is. Throws `MalformedRequest` where its client has left: it is to end then. */
export type Tell = (step: ImportStep) => void;

/** Where processes tell each other how far imports are, where the database has no import to wait for. */
export const IMPORTS_CHANNEL = 'imports';

/** Between two steps of a phase that are told. */
const STEP_MILLIS = 100;

/** A step of one import into a collection, as it is told; null at its end. */
export interface ImportNews {
  import: string;
  step: ImportStep | null;
}

type Hear = (news: ImportNews) => void;

/** Who listens in this process, by collection. */
const listeners = new Map<string, Set<Hear>>();
/** By which a process knows what it has told itself. */
const PROCESS = randomUUID();
let count = 0;

/**
 * Runs an import into a collection, or a preview, and lets those who follow it know how far it is: in this process at once,
 * whatever transaction it is in, and on PostgreSQL in others by a notification beside it.
 */
export async function followedImport<T>(
  ctx: Context,
  collectionId: string,
  work: (tell: Tell) => Promise<T>,
): Promise<T> {
  const id = `${PROCESS} ${++count}`;
  const { db, caller, leaving } = ctx;
  const key = streamKey(caller.accountId, collectionId);
  const isHeardElsewhere = db.kind === 'postgres' && !db.isTransaction && isIdOf('Collection', collectionId);
  let phase: ImportPhase | undefined;
  let toldAtMillis = 0;
  const announce = (step: ImportStep | null) => {
    const news = { import: id, step };
    hear(key, news);
    if (isHeardElsewhere) db.notify(IMPORTS_CHANNEL, JSON.stringify([key, news]));
  };
  try {
    return await work((step) => {
      assertAwaited(leaving);
      const now = performance.now();
      if (step.phase === phase && step.done !== step.total && now - toldAtMillis < STEP_MILLIS) return;
      phase = step.phase;
      toldAtMillis = now;
      announce(step);
    });
  } finally {
    if (phase !== undefined) announce(null);
  }
}

/** Calls back with the news of imports into a collection. Gives the function that ends it. */
export function listenToImports(accountId: string, collectionId: string, listener: Hear): () => void {
  const key = streamKey(accountId, collectionId);
  const own = listeners.get(key) ?? new Set();
  listeners.set(key, own.add(listener));
  return () => {
    if (own.delete(listener) && own.size === 0) listeners.delete(key);
  };
}

/** What another process has told. */
export function hearOfImports(message: string): void {
  const [key, news] = JSON.parse(message) as [string, ImportNews];
  if (!news.import.startsWith(PROCESS)) hear(key, news);
}

function hear(key: string, news: ImportNews): void {
  for (const listener of listeners.get(key) ?? []) listener(news);
}
