import { adviceOn, CardledgerError } from './errors.ts';

/** A service, and how it is asked. */
export interface Service {
  /** Without a slash at its end. */
  url: string;
  fetch: typeof fetch;
  /** How often a request is sent again at most. */
  retries: number;
  /** A token to send; `refused` is one that the service did not take. */
  token: (refused?: string) => string | Promise<string>;
}

export interface Sending {
  /** Whether to send it twice does what to send it once does. */
  isRepeatable: boolean;
  /** By which the service knows a write again. */
  idempotencyKeys?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/** An answer that was read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * `mayBeDone`: it was sent before, and its answer was lost, so that it may have been done by then. `isUnknown`: this
 * answer does not tell, either.
 */
type Repeated<A> = A & { mayBeDone: boolean; isUnknown: boolean };

const ATTEMPT_MILLIS = 60_000;
const FIRST_WAIT_MILLIS = 250;
/** As long as the service itself ever asks to wait. */
const LONGEST_WAIT_MILLIS = 60_000;

const LOOK_BEFORE = ' Whether it was done is not known: look before you send it again.';

/** Of proxies too. */
const PASSING = [502, 503, 504];

/** Sends a request with a token, and reads the answer: again after what passes, and with another token after 401. */
export function ask(
  service: Service,
  path: string,
  init: RequestInit,
  sending: Sending,
  hasPassingFailure?: (answer: Answer) => boolean,
): Promise<Repeated<Answer>> {
  return repeated(
    service,
    sending,
    async (signal) =>
      answerOf(await authorized(service, new Request(service.url + path, { ...init, signal }))),
    hasPassingFailure,
  );
}

/** As `fetch` does it, with a token; with another one after 401, by which nothing has been done. */
export async function authorized(service: Service, request: Request): Promise<Response> {
  const send = (token: string) => {
    const copy = request.clone();
    copy.headers.set('Authorization', `Bearer ${token}`);
    return service.fetch(copy);
  };
  const token = await service.token();
  const response = await send(token);
  if (response.status !== 401) return response;
  const other = await service.token(token);
  if (other === token) return response;
  await response.body?.cancel();
  return send(other);
}

/**
 * Sends until there is an answer that is no passing failure, at most `retries` times more. What is refused with 429 was
 * not begun, and is always sent again; after a lost connection or 503 only what is repeatable. Where it is to wait
 * longer than a minute, that answer is the last.
 */
export async function repeated<A extends Pick<Answer, 'status' | 'headers'>>(
  { retries }: Pick<Service, 'retries'>,
  { isRepeatable, idempotencyKeys, signal }: Sending,
  send: (signal: AbortSignal) => Promise<A>,
  hasPassingFailure: (answer: A) => boolean = ({ status }) => PASSING.includes(status),
): Promise<Repeated<A>> {
  let mayBeDone = false;
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted();
    const isLast = attempt === retries;
    let waitMillis = backOffMillis(attempt);
    try {
      const timeout = AbortSignal.timeout(ATTEMPT_MILLIS);
      const answer = await send(signal ? AbortSignal.any([signal, timeout]) : timeout);
      const isPassing = answer.status === 429 || (isRepeatable && hasPassingFailure(answer));
      waitMillis = retryAfterMillis(answer.headers.get('Retry-After')) ?? waitMillis;
      const isUnknown = isPassing && (mayBeDone || answer.status !== 429);
      if (isLast || !isPassing || waitMillis > LONGEST_WAIT_MILLIS)
        return { ...answer, mayBeDone, isUnknown };
      if (answer.status !== 429) mayBeDone = true;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof CardledgerError) throw error;
      if (isLast || !isRepeatable) {
        throw new CardledgerError(
          'Network',
          `The service could not be reached.${isRepeatable ? adviceOn(idempotencyKeys) : LOOK_BEFORE}`,
          { cause: error, idempotencyKeys },
        );
      }
      mayBeDone = true;
    }
    await pause(waitMillis, signal);
  }
}

export async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Twice as long each time, and by chance, so that many clients do not come back at once. */
export function backOffMillis(attempt: number): number {
  const longest = Math.min(FIRST_WAIT_MILLIS * 2 ** attempt, LONGEST_WAIT_MILLIS);
  return longest * (0.5 + Math.random() / 2);
}

/** Of seconds, or of a date; undefined where there is none. */
function retryAfterMillis(value: string | null): number | undefined {
  if (value === null) return undefined;
  const millis = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(millis) ? undefined : Math.max(millis, 0);
}

/** Throws the reason of the signal. */
export function pause(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, millis);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
