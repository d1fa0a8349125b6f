import { sharedAnswer } from '../lib/shared-answer.ts';
import { type Address, newConnection, settings } from './connection.ts';
import { sendAlone } from './transaction.ts';

const SILENT_NODE = `
  select nodename || ':' || nodeport as node from pg_dist_node
  where noderole = 'primary' and isactive and not citus_check_connection_to_node(nodename, nodeport) limit 1`;
/** Nobody waits for long. */
const QUICK = settings({ 'citus.node_connection_timeout': 1000 });

export interface SilenceSearch {
  /** The database is of a Citus. */
  meet(): void;
  /** A node that the coordinator does not reach within a second, or did not just now; null where it reaches all, or is none. */
  silentNode(): Promise<string | null>;
}

/** For so long a node that was silent is so for those who waited for it, though it answers again: their time is used up. */
const SILENT_FOR_MILLIS = 10_000;

/** For those whose statement has met its deadline: whether it waited for a node that does not answer. One asks for all. */
export function newSilenceSearch(address: Address): SilenceSearch {
  let isCitus = false;
  let last: { node: string; at: number } | undefined;
  const ask = sharedAnswer(async () => {
    const node = await askOnce(address).catch(() => null);
    if (node !== null) last = { node, at: performance.now() };
    return node;
  });
  return {
    meet() {
      isCitus = true;
    },
    silentNode: async () => {
      if (!isCitus) return null;
      return last && performance.now() - last.at < SILENT_FOR_MILLIS ? last.node : ask();
    },
  };
}

async function askOnce(address: Address): Promise<string | null> {
  const connection = newConnection(address, { onClosed: () => {} });
  try {
    const [row] = (await sendAlone(connection, QUICK, SILENT_NODE, [])) as { node: string }[];
    return row?.node ?? null;
  } finally {
    void connection.close();
  }
}
