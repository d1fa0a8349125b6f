import type { BodyLimits } from './body-room.ts';

const LOOKS_IN_WINDOW = 5;

/** A body as its watch sees it. */
interface Coming {
  readonly received: number;
  readonly isAwaited: boolean;
}

interface Watched {
  cut: () => void;
  looks: number;
  /** What had come when its window began. */
  before: number;
}

/**
 * Cuts off what comes too slowly. It looks now and then, and counts its looks: time in which this process was too busy to
 * read counts for one look at most.
 */
export class SpeedWatch {
  readonly #bodies = new Map<Coming, Watched>();
  readonly #limits: BodyLimits;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  add(body: Coming, cut: () => void): void {
    this.#bodies.set(body, { cut, looks: 0, before: 0 });
    this.#timer ??= setInterval(() => this.#look(), this.#limits.windowMillis / LOOKS_IN_WINDOW).unref();
  }

  forget(body: Coming): void {
    this.#bodies.delete(body);
  }

  #look(): void {
    for (const [body, watched] of this.#bodies) {
      if (!body.isAwaited || ++watched.looks < LOOKS_IN_WINDOW) continue;
      if (body.received - watched.before < this.#limits.windowBytes) watched.cut();
      watched.looks = 0;
      watched.before = body.received;
    }
    if (this.#bodies.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
