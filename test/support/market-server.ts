import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { textOfFixture } from '../importers/support.ts';

const EMPTY = '{"totalItems":0,"success":true,"errors":[],"results":[]}';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** TCGCSV and the ECB on this machine, with their formats and ETags. */
export interface MarketServer {
  baseUrl: string;
  /** By path; what is not here is answered with 404. */
  files: Record<string, string>;
  /** The paths that were asked for, in their order. */
  requested: string[];
  /** Who asked, as they say. */
  agents: (string | undefined)[];
  /** Asked first, in their order, in place of the files. */
  faults: Answer[];
  /** The connection ends in the middle of the file. */
  cut: Answer;
  /** Half of the file, as if it were whole. */
  half: Answer;
  stop(): Promise<void>;
}

export async function startMarketServer(): Promise<MarketServer> {
  const files: Record<string, string> = {
    '/tcgplayer/62/groups': textOfFixture('tcgcsv/groups.json'),
    '/tcgplayer/62/2724/products': textOfFixture('tcgcsv/products.json'),
    '/tcgplayer/62/2724/prices': textOfFixture('tcgcsv/prices.json'),
    '/tcgplayer/62/24001/products': EMPTY,
    '/tcgplayer/62/24001/prices': EMPTY,
    '/eurofxref-hist.csv': textOfFixture('ecb/eurofxref-hist.csv'),
  };
  const requested: string[] = [];
  const agents: (string | undefined)[] = [];
  const faults: Answer[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url!);
    agents.push(request.headers['user-agent']);
    const fault = faults.shift();
    if (fault) return fault(request, response);
    const content = files[request.url!];
    const etag = `"${content?.length}"`;
    if (content === undefined) response.writeHead(404).end();
    else if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { ETag: etag }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const halfOf = (request: IncomingMessage) => files[request.url!]!.slice(0, files[request.url!]!.length / 2);
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    requested,
    agents,
    faults,
    cut(request, response) {
      response.writeHead(200, { 'Content-Length': String(files[request.url!]!.length) });
      response.write(halfOf(request), () => response.socket?.destroy());
    },
    half: (request, response) => response.writeHead(200, { ETag: '"half"' }).end(halfOf(request)),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The server answers with this status. */
export const failing =
  (status: number): Answer =>
  (_, response) =>
    response.writeHead(status).end('sorry');
