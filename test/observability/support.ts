import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert on its shape
type LogLine = Record<string, any>;

/** A logger, and the lines that it has written. */
export function gatheringLogger(): { logger: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (chunk: unknown, _encoding: unknown, done: () => void) => {
    lines.push(JSON.parse(String(chunk)));
    done();
  };
  return { logger: pino({ base: null }, new Writable({ write })), lines };
}

/** The samples of Prometheus' text, by name and labels as they stand there. */
export function samplesOf(text: string): Map<string, number> {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

export interface ReceivedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: { code?: number };
  attributes: Record<string, string | number>;
}

/** An OTLP/HTTP receiver, for the time of the test. */
export async function otlpReceiver(): Promise<{ endpoint: string; spans: ReceivedSpan[]; paths: string[] }> {
  const spans: ReceivedSpan[] = [];
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    paths.push(request.url!);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    for (const { resource, scopeSpans } of JSON.parse(String(text)).resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }: { spans: unknown[] }) => spans)) {
        spans.push({ ...span, attributes: { ...attributesOf(resource), ...attributesOf(span) } });
      }
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, paths };
}

interface Attributed {
  attributes: { key: string; value: Record<string, string | number> }[];
}

function attributesOf({ attributes }: Attributed): Record<string, string | number> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]!]));
}
