import { randomUUID } from 'node:crypto';
import { validationFailed } from '../domain/errors.ts';

/** How long a preview may be confirmed; far less than the 24 hours for which an idempotency key is kept. */
export const CONFIRMATION_MINUTES = 10;

const FORM = /^([0-9a-z]{1,8})\.([0-9a-f-]{36})\.([\w-]{43})$/;

/** What is confirmed, by whom. */
export interface Confirmed {
  accountId: string;
  input: Readonly<Record<string, unknown>>;
}

/** Codes of texts that only nodes of the service can make, and any of them can check. */
export interface Codes {
  codeOf(text: string): Promise<string>;
  isCodeOf(text: string, code: string): Promise<boolean>;
}

/**
 * A text that stands for this input of this account, and for this preview of it: of two previews of the same input each
 * can be recorded once. Nothing is kept, and any node can check it. Who has not previewed cannot make one.
 */
export async function newConfirmation(confirmed: Confirmed, codes: Codes, now: Date): Promise<string> {
  const minute = minuteOf(now).toString(36);
  const id = randomUUID();
  return `${minute}.${id}.${await codes.codeOf(textOf(minute, id, confirmed))}`;
}

/** The idempotency key of what is confirmed. Throws `ValidationFailed`. */
export async function keyOfConfirmation(
  confirmation: string,
  confirmed: Confirmed,
  codes: Codes,
  now: Date,
): Promise<string> {
  const [, minute = '', id = '', code = ''] = FORM.exec(confirmation) ?? [];
  if (!(await codes.isCodeOf(textOf(minute, id, confirmed), code)))
    throw refused(
      'is not of this transaction: preview it as it is to be recorded, and give what that answers',
    );
  const age = minuteOf(now) - Number.parseInt(minute, 36);
  if (age < 0) throw refused('is of a time to come: preview the transaction again');
  if (age > CONFIRMATION_MINUTES)
    throw refused(
      `is older than ${CONFIRMATION_MINUTES} minutes: look whether the transaction is recorded already, else preview it again`,
    );
  return `mcp-${id}`;
}

const refused = (detail: string) => validationFailed([{ path: ['confirmation'], detail }]);

const minuteOf = (time: Date) => Math.floor(time.getTime() / 60_000);

/** What the code is of. Its first word keeps it apart from whatever else is given a code. */
function textOf(minute: string, id: string, { accountId, input }: Confirmed): string {
  const sorted = JSON.stringify(input, (_key, value) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return `confirmation ${minute} ${id} ${accountId} ${sorted}`;
}
