import { expect } from 'vitest';

/**
 * Compares an answer that a document shows with the real one: each key that is shown, lengths, numbers and texts. `…` in a
 * text stands for anything, and the text `…` for a number too, where another day gives another one. What is not shown is not
 * looked at, so that a new field makes no document wrong.
 */
export function expectAnswer(shown: string, real: string): void {
  expect(shapeOf(parsed(real, 'The real answer'), parsed(shown, 'The block'))).toEqual(
    shapeOf(parsed(shown, 'The block')),
  );
}

/** Of an answer with its head, as `curl -i` gives it, the status line and the headers that are shown are compared too. */
export function expectHttpAnswer(shown: string, real: string): void {
  const [shownHead, shownBody] = partsOf(shown);
  const [realHead, realBody] = partsOf(real.replaceAll('\r\n', '\n'));
  const realHeaders = new Map(realHead.slice(1).map(header));
  const headers = shownHead.slice(1).map(header);
  expect(realHead[0]).toBe(shownHead[0]);
  expect(headers.map(([name, value]) => [name, likeShown(realHeaders.get(name) ?? null, value)])).toEqual(
    headers,
  );
  if (shownBody === '') expect(realBody).toBe('');
  else expectAnswer(shownBody, realBody);
}

function parsed(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${what} is not JSON: ${text}`);
  }
}

function partsOf(answer: string): [string[], string] {
  const [head, body = ''] = answer.split('\n\n') as [string, string?];
  return [head.trim().split('\n'), body.trim()];
}

function header(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/** The value with what fits a text of `shown` as that. */
function shapeOf(value: unknown, shown: unknown = value): unknown {
  if (typeof value === 'number') return shown === '…' ? shown : value;
  if (typeof value === 'string') return likeShown(value, shown);
  if (Array.isArray(value)) return value.map((item, i) => shapeOf(item, (shown as unknown[])?.[i]));
  if (value === null || typeof value !== 'object') return value;
  const others = (typeof shown === 'object' && shown ? shown : {}) as Record<string, unknown>;
  const known = Object.entries(value).filter(([key]) => key in others);
  return Object.fromEntries(known.map(([key, item]) => [key, shapeOf(item, others[key])]));
}

/** The text as it is shown, where it fits that: `…` stands for anything. */
export function likeShown(text: string | null, shown: unknown): unknown {
  if (text === null || typeof shown !== 'string') return text;
  const pattern = shown
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`, 's').test(text) ? shown : text;
}
