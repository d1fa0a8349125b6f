import { DomainError } from '../domain/errors.ts';
import { Counts } from '../lib/counts.ts';

/** What bodies may take of a process, and how slow they may be (docs/decisions.md#bodies). */
export interface BodyLimits {
  processBytes: number;
  addressBytes: number;
  /** Of all who are not known yet, whatever addresses they come from. */
  strangersBytes: number;
  /** Of all accounts below one, whatever addresses they come from. */
  platformBytes: number;
  accountBytes: number;
  /** An account, or a stranger's address, that has no more finds room in half as much again: a few large ones keep nobody out. */
  littleBytes: number;
  /** Less than this in a window is too slow. */
  windowMillis: number;
  windowBytes: number;
}

const MIB = 1024 * 1024;

export const BODY_LIMITS: BodyLimits = {
  processBytes: 64 * MIB,
  addressBytes: 32 * MIB,
  strangersBytes: 32 * MIB,
  platformBytes: 32 * MIB,
  accountBytes: 4 * MIB,
  littleBytes: MIB / 4,
  windowMillis: 5000,
  windowBytes: 5 * 1024,
};

/** One file of the largest size of an account, and of all below a platform, and two of a process, or many small ones (docs/decisions.md#bodies). */
export const UPLOAD_LIMITS: BodyLimits = {
  processBytes: 32 * MIB,
  addressBytes: 32 * MIB,
  // Nobody uploads who is not known.
  strangersBytes: 0,
  platformBytes: 16 * MIB,
  accountBytes: 16 * MIB,
  littleBytes: MIB,
  windowMillis: 5000,
  windowBytes: 64 * 1024,
};

/** Who sends a body; the account where it is known. */
export interface Sender {
  address: string;
  accountId: string | undefined;
  /** That the account is below, where it acts for it. */
  platformId?: string | undefined;
}

const RETRY_AFTER_SECONDS = 1;
const LITTLE_SHARE = 1.5;
/** No account's id, and no address. */
const STRANGERS = 'strangers';

/** What the bodies that are under way take of a process; each takes its part before it is read. */
export class Room {
  bytes = 0;
  readonly #limits: BodyLimits;
  readonly #byClient = new Counts();
  readonly #byPlatform = new Counts();

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** Throws `RateLimited`, and `Unavailable` where the process has none left. */
  take(sender: Sender, bytes: number): void {
    const { address, accountId, platformId } = sender;
    const { processBytes, addressBytes, strangersBytes, platformBytes, accountBytes, littleBytes } =
      this.#limits;
    const more = this.#byClient.of(accountId ?? address) + bytes <= littleBytes ? LITTLE_SHARE : 1;
    if (accountId === undefined && this.#byClient.of(STRANGERS) + bytes > more * strangersBytes)
      throw tooMuchOf('all clients that are not known yet', strangersBytes);
    if (accountId !== undefined && this.#byClient.of(accountId) + bytes > accountBytes)
      throw tooMuchOf('an account', accountBytes);
    if (platformId !== undefined && this.#byPlatform.of(platformId) + bytes > platformBytes)
      throw tooMuchOf('all accounts below a platform', platformBytes);
    if (this.#byClient.of(address) + bytes > addressBytes) throw tooMuchOf('an address', addressBytes);
    if (this.bytes + bytes > more * processBytes) {
      const message = 'The server has no room for more bodies at the moment. Try again shortly.';
      throw new DomainError('Unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    this.#add(sender, bytes);
  }

  giveBack(sender: Sender, bytes: number): void {
    this.#add(sender, -bytes);
  }

  #add({ address, accountId, platformId }: Sender, bytes: number): void {
    this.bytes += bytes;
    this.#byClient.add(address, bytes);
    this.#byClient.add(accountId ?? STRANGERS, bytes);
    if (platformId !== undefined) this.#byPlatform.add(platformId, bytes);
  }
}

function tooMuchOf(whose: string, bytes: number): DomainError {
  const message = `The bodies of ${whose} that are not answered yet may have ${bytes / MIB} MiB together. Send fewer at a time.`;
  return new DomainError('RateLimited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
