import { setTimeout as sleep } from 'node:timers/promises';

/** A client that follows a collection, and comes back with the id of the last event that it saw whenever its stream ends. */
export interface Follower {
  /** The numbers of the events that came, which a collection counts. */
  numbers: number[];
  /** Of the transactions that were recorded or changed. */
  transactionIds: Set<string>;
  /** Resolves when the collection has had the name. */
  untilNamed(name: string): Promise<void>;
  /** Streams that ended before the last. */
  cuts: () => number;
  connected: Promise<void>;
  stop(): Promise<void>;
}

const DOCUMENT = `subscription ($id: ID!) {
  collectionChanged(id: $id) { kind collection { name } transactions { id } }
}`;
/** A comment comes every 15 s. */
const SILENCE_MILLIS = 20_000;
const COME_BACK_MILLIS = 200;

/** No resumed stream may say so. */
class BadEvent extends Error {}

export function follow(url: string, token: string, collectionId: string): Follower {
  const ending = new AbortController();
  const numbers: number[] = [];
  const transactionIds = new Set<string>();
  const names = new Set<string>();
  let lastEventId: string | undefined;
  let streams = 0;
  let connect = () => {};
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });

  const take = (block: string) => {
    const fields = new Map(block.split('\n').map((line): [string, string] => fieldOf(line)));
    const result = fields.get('event') === 'next' ? JSON.parse(fields.get('data')!) : null;
    if (result?.errors?.every(isUnavailable)) throw new Error('The event is to be asked for again.');
    if (result?.errors) throw new BadEvent(`An event came as ${JSON.stringify(result.errors)}`);
    lastEventId = fields.get('id') ?? lastEventId;
    if (!result) return;
    const { collection, transactions } = result.data.collectionChanged;
    numbers.push(Number(/_(\d+)$/.exec(fields.get('id')!)![1]));
    for (const { id } of transactions) transactionIds.add(id);
    names.add(collection.name);
  };

  const readOne = async () => {
    const silence = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const hear = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MILLIS);
    };
    try {
      hear();
      const answer = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: {
          Accept: 'text/event-stream',
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
        },
        body: JSON.stringify({ query: DOCUMENT, variables: { id: collectionId } }),
        signal: AbortSignal.any([ending.signal, silence.signal]),
      });
      if (!answer.ok) {
        await answer.body?.cancel();
        await sleep(1000 * Number(answer.headers.get('Retry-After') ?? 1));
        return;
      }
      streams++;
      connect();
      let rest = '';
      for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
        hear();
        const blocks = (rest + piece).split('\n\n');
        // What was cut off before its end is no event.
        rest = blocks.pop()!;
        for (const block of blocks) take(block);
      }
    } finally {
      clearTimeout(timer);
    }
  };
  const running = (async () => {
    while (!ending.signal.aborted) {
      await readOne().catch((error) => {
        if (error instanceof BadEvent) throw error;
      });
      await sleep(COME_BACK_MILLIS);
    }
  })();
  running.catch(() => {});
  return {
    numbers,
    transactionIds,
    async untilNamed(name) {
      while (!names.has(name)) await Promise.race([sleep(50), running]);
    },
    cuts: () => streams - 1,
    connected,
    async stop() {
      ending.abort();
      await running;
    },
  };
}

const isUnavailable = ({ extensions }: { extensions?: { code?: string } }) =>
  extensions?.code === 'Unavailable';

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}
