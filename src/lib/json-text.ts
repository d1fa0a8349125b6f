/** What a JSON text holds, told without parsing it: that cannot be broken off. */

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x2c, 0x3a, 0x5b, 0x5d, 0x7b, 0x7d,
];

export interface JsonLimits {
  values: number;
  /** Lists and objects in one another. */
  depth: number;
}

/** How many keys its objects have, those that stand twice too; or which limit it is beyond. */
export type JsonMeasure = { keys: number } | { beyond: keyof JsonLimits };

export function measureJson(text: string, most: JsonLimits): JsonMeasure {
  let depth = 0;
  let values = 1;
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) keys++;
    else if (code === COMMA) values++;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values++;
      if (++depth > most.depth) return { beyond: 'depth' };
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    if (values > most.values) return { beyond: 'values' };
  }
  return { keys };
}

/** Where its closing quote stands, or the text ends. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
