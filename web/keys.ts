/** A key of idempotency: 128 random bits. Pages without https have no `crypto.randomUUID`. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

const unanswered = new Map<string, string>();

/** The key of an input, the same until it is `answered`: sent again after a lost answer, it is done once. */
export function keyOf(input: object): string {
  const text = JSON.stringify(input);
  const key = unanswered.get(text) ?? newKey();
  unanswered.set(text, key);
  return key;
}

/** The same input is another one from now on. */
export function answered(input: object): void {
  unanswered.delete(JSON.stringify(input));
}
