import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '../../src/paths.ts';
import type { NoisyOptions } from './noisy.ts';
import type { QuietOptions, QuietRequest } from './quiet.ts';

/** A process of the suite, which is told and answers one thing at a time. */
export class Player {
  static readonly #all = new Set<ChildProcess>();
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;

  constructor(name: 'quiet' | 'noisy') {
    this.#child = fork(projectPath(`test/hostile/${name}.ts`));
    Player.#all.add(this.#child);
    this.#ended = once(this.#child, 'exit').then(() => {
      throw new Error('A process of the suite ended.');
    });
    this.#ended.catch(() => {});
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async ask<T>(message: QuietOptions | QuietRequest | NoisyOptions | number): Promise<T> {
    const answered = new Promise<T>((resolve) => {
      this.#child.once('message', (answer) => resolve(answer as T));
    });
    this.#child.send(message);
    return Promise.race([answered, this.#ended]);
  }

  end(): void {
    this.#child.kill('SIGKILL');
    Player.#all.delete(this.#child);
  }

  static endAll(): void {
    for (const child of Player.#all) child.kill('SIGKILL');
  }
}
process.once('exit', () => Player.endAll());
