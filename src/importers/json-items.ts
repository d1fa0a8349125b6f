import { parse } from 'lossless-json';
import { type ByteSource, ImportFileError, MOST_RECORD_BYTES, textOf } from './import-file.ts';

export interface JsonItem {
  /** Where the item begins. */
  line: number;
  /** As lossless-json gives it: numbers are `LosslessNumber`, so that amounts stay exact. */
  value: unknown;
}

/**
 * The objects of one list of a JSON document `{…, "<listName>": [{…}, …], …}`, one at a time, so that a document of any
 * size takes the memory of one item. `checkEnvelope` is given the document with the list empty, at its end; it throws
 * the problem. A document that is cut off throws at the line where it ends, an item that goes on for too long at its own.
 */
export async function* jsonItems(
  source: ByteSource,
  listName: string,
  checkEnvelope: (envelope: Record<string, unknown>) => void = () => {},
): AsyncGenerator<JsonItem> {
  const scanner = new ItemScanner(source, listName);
  for await (const text of textOf(source)) {
    for (const { line, json } of scanner.items(text)) yield { line, value: parseAt(source, line, json) };
  }
  const envelope = scanner.end();
  try {
    checkEnvelope(envelope);
  } catch (error) {
    throw new ImportFileError(source.name, 1, (error as Error).message);
  }
}

function parseAt(source: ByteSource, line: number, json: string): unknown {
  try {
    return parse(json);
  } catch (error) {
    const detail =
      error instanceof Error ? error.message.replace(/ (at|encountered at) position \d+$/, '') : '';
    throw new ImportFileError(source.name, line, `it is not well-formed JSON (${detail})`, { cause: error });
  }
}

/** Where the scanner is: around the list, between its items, or in one. */
type Place = 'envelope' | 'list' | 'item';

/** Cuts the text at the items' brackets, which it finds by depth; what is in between is for the parser to judge. */
class ItemScanner {
  private readonly source: ByteSource;
  private readonly listName: string;
  private readonly listStart: RegExp;
  private place: Place = 'envelope';
  private envelope = '';
  private item = '';
  private itemLine = 1;
  private line = 1;
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** Whether the list has an item that no comma follows yet. */
  private afterItem = false;
  private afterComma = false;
  private foundList = false;

  constructor(source: ByteSource, listName: string) {
    this.source = source;
    this.listName = listName;
    this.listStart = new RegExp(`"${listName}"\\s*:\\s*$`);
  }

  *items(text: string): Generator<{ line: number; json: string }> {
    let start = 0;
    for (let i = 0; i < text.length; i++) {
      const character = text[i]!;
      if (character === '\n') this.line++;
      if (this.place === 'list') {
        start = i;
        this.betweenItems(character);
        continue;
      }
      const depthBefore = this.depth;
      this.follow(character);
      if (this.place === 'envelope' && character === '[' && depthBefore === 1 && !this.inString) {
        this.envelope += text.slice(start, i);
        start = i;
        if (!this.listStart.test(this.envelope.slice(-200))) continue;
        if (this.foundList) this.fail('the list is there twice');
        this.foundList = true;
        this.place = 'list';
      } else if (this.place === 'item' && this.depth === 0) {
        yield { line: this.itemLine, json: this.item + text.slice(start, i + 1) };
        this.item = '';
        this.place = 'list';
        this.afterItem = true;
      }
    }
    if (this.place === 'envelope') this.envelope += text.slice(start);
    if (this.place === 'item') this.item += text.slice(start);
    if (Math.max(this.envelope.length, this.item.length) > MOST_RECORD_BYTES) this.refuseLength();
  }

  /** The document without its items. */
  end(): Record<string, unknown> {
    if (this.place !== 'envelope' || this.depth > 0)
      this.fail('the file ends in the middle of its JSON; it was cut off');
    const envelope = parseAt(this.source, 1, this.envelope);
    if (!this.foundList) {
      throw new ImportFileError(this.source.name, 1, `expected a JSON object with a list "${this.listName}"`);
    }
    return envelope as Record<string, unknown>;
  }

  private follow(character: string): void {
    if (this.inString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (character === '\\') this.isEscaped = true;
      else if (character === '"') this.inString = false;
    } else if (character === '"') this.inString = true;
    else if (character === '{' || character === '[') this.depth++;
    else if (character === '}' || character === ']') this.depth--;
  }

  private betweenItems(character: string): void {
    if (character === '{' && !this.afterItem) {
      this.place = 'item';
      this.itemLine = this.line;
      this.depth = 1;
      this.afterComma = false;
    } else if (character === ',' && this.afterItem) {
      this.afterItem = false;
      this.afterComma = true;
    } else if (character === ']' && !this.afterComma) {
      this.envelope += '[';
      this.place = 'envelope';
      this.afterItem = false;
      this.depth = 1;
    } else if (!/\s/.test(character)) {
      this.fail(`expected ${this.afterItem ? '"," or "]"' : 'an object'}, found "${character}"`);
    }
  }

  private refuseLength(): never {
    const line = this.place === 'item' ? this.itemLine : this.line;
    const problem = `a JSON object goes on for more than ${MOST_RECORD_BYTES / 1024} KiB; the file is damaged`;
    throw new ImportFileError(this.source.name, line, problem);
  }

  private fail(problem: string): never {
    throw new ImportFileError(this.source.name, this.line, problem);
  }
}
