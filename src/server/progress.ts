import { SingleBar } from 'cli-progress';
import type { Progress } from '../services/market/progress.ts';

type Stream = NodeJS.WritableStream & { isTTY?: boolean };

/**
 * Runs `work` with a bar for each piece of it on a terminal, and with a line when a piece is done elsewhere; a piece of no
 * length is a line at once. The terminal
 * is left as it was, also when `work` fails half-way.
 */
export async function withProgress<T>(
  stream: Stream,
  line: (message: string) => void,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  if (!stream.isTTY) {
    return work((label, done, total) => {
      if (total === 0) line(label);
      else if (done === total) line(`read ${total} ${label}`);
    });
  }
  let bar: SingleBar | undefined;
  const stop = () => {
    bar?.stop();
    bar = undefined;
  };
  try {
    return await work((label, done, total) => {
      if (total === 0) {
        stream.write(`${label}\n`);
        return;
      }
      bar ??= startBar(stream, label, total);
      bar.update(done);
      if (done === total) stop();
    });
  } finally {
    stop();
  }
}

function startBar(stream: Stream, label: string, total: number): SingleBar {
  const bar = new SingleBar({
    stream,
    format: `${label.padEnd(16)} {bar} {value}/{total}`,
    hideCursor: true,
  });
  bar.start(total, 0);
  return bar;
}
