import { SingleBar } from 'cli-progress';
import type { Progress } from './services/market/progress.ts';

/** A bar for each piece of work on a terminal; a line when it is done elsewhere. */
export function progressOn(stream: NodeJS.WriteStream, line: (message: string) => void): Progress {
  if (!stream.isTTY) {
    return (label, done, total) => {
      if (done === total) line(`loaded ${total} ${label}`);
    };
  }
  let bar: SingleBar | undefined;
  return (label, done, total) => {
    if (!bar) {
      bar = new SingleBar({ stream, format: `${label.padEnd(16)} {bar} {value}/{total}`, hideCursor: true });
      bar.start(total, 0);
    }
    bar.update(done);
    if (done < total) return;
    bar.stop();
    bar = undefined;
  };
}
