import { serverName } from '../lib/server-urls.ts';
import type { Address } from './connection.ts';
import { newReadIndex, type ReadIndex } from './read-index.ts';
import { type Lease, Replica, type Surroundings, type TellReplica } from './replica.ts';

export interface ReplicaOptions {
  /** An address of one server each. */
  urls: readonly string[];
  tell: TellReplica;
}

/** How operations that only read were answered; what counts grows while the process lives. */
export interface ReadUse {
  /** Operations that were given to the primary. */
  primaryReads: number;
  replicas: readonly ReplicaUse[];
}

export type ReplicaUse = Readonly<
  Pick<Replica, 'server' | 'pools' | 'reads' | 'leftReads' | 'lagMillis' | 'isLeftOut'>
>;

/**
 * Where operations that only read are answered. Whoever asks for a replica is given one that has all that was committed
 * before: the primary is asked how far its log of changes goes, one question for all who ask meanwhile, and then a replica is
 * taken that has replayed so much, or does within 20 ms.
 */
export class Replicas {
  readonly use: ReadUse;
  readonly #index: ReturnType<typeof newReadIndex>;
  readonly #replicas: readonly Replica[];
  #next = 0;

  constructor(primary: Address, { urls, tell }: ReplicaOptions) {
    const index = newReadIndex(primary);
    this.#index = index;
    const sameServer: Surroundings['sameServer'] = (startedAt, than) =>
      this.#replicas.find((replica) => replica !== than && replica.startedAt === startedAt);
    const names = replicaNames(urls);
    this.#replicas = urls.map(
      (url, i) => new Replica(url, names[i]!, { primary: index.ask, sameServer }, tell),
    );
    this.use = { primaryReads: 0, replicas: this.#replicas };
  }

  /** Null where the primary is to answer. */
  async lease(): Promise<Lease | null> {
    const replica = await this.#upToDate().catch(() => null);
    if (!replica) {
      this.use.primaryReads++;
      return null;
    }
    replica.reads++;
    return replica.lease();
  }

  async close(): Promise<void> {
    await Promise.all([this.#index.close(), ...this.#replicas.map((replica) => replica.close())]);
  }

  async #upToDate(): Promise<Replica | null> {
    const known = this.#replicas.filter(({ isLeftOut }) => !isLeftOut);
    if (known.length === 0) return null;
    const index = await this.#index.ask();
    return this.#leastBusy(known.filter((replica) => replica.has(index))) ?? firstWith(known, index);
  }

  /** Of equals, each in its turn. */
  #leastBusy(replicas: readonly Replica[]): Replica | undefined {
    const first = this.#next++ % Math.max(1, replicas.length);
    const inTurn = [...replicas.slice(first), ...replicas.slice(0, first)];
    return inTurn.sort((a, b) => a.inUse - b.inUse)[0];
  }
}

/** `host:port` of each; with `/database` where there are two of one, such as behind a PgBouncer that knows a server by it. */
export function replicaNames(urls: readonly string[]): string[] {
  const servers = urls.map(serverName);
  return servers.map((server, i) =>
    servers.indexOf(server) === servers.lastIndexOf(server) ? server : server + new URL(urls[i]!).pathname,
  );
}

function firstWith(replicas: readonly Replica[], index: ReadIndex): Promise<Replica> {
  return Promise.any(
    replicas.map(async (replica) => {
      if (await replica.reached(index)) return replica;
      throw new Error('It lags.');
    }),
  );
}
