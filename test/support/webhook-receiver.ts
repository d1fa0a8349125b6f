import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Received {
  id: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert on its shape
  payload: any;
  path: string;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A receiver of webhooks on this machine, which answers as it is told; 204 where it is told nothing. */
export interface Receiver {
  url: string;
  received: Received[];
  /** The next answers, before the usual one. */
  answers: Answer[];
  answer: Answer;
  stop(): Promise<void>;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end();

export async function startReceiver(port = 0): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    received: [],
    answers: [],
    answer: status(204),
    stop: async () => {},
  };
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const id = String(request.headers['webhook-id']);
    receiver.received.push({
      id,
      headers: request.headers,
      body,
      payload: JSON.parse(body),
      path: request.url!,
    });
    (receiver.answers.shift() ?? receiver.answer)(response, request);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  receiver.stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return receiver;
}
