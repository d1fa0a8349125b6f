/** A row of a CSV file, with the line where it begins. */
export interface CsvRow {
  /** From 1. */
  line: number;
  text: string;
}

/** The rows of a file, empty ones left out; a line break within quotes is one of a cell. */
export function rowsOf(csv: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let line = 1;
  for (const [text] of csv.matchAll(/(?:"(?:[^"]|"")*(?:"|$)|[^"\r\n])+|\r\n|\r|\n/g)) {
    const isBreak = /^[\r\n]+$/.test(text);
    if (isBreak) line++;
    else {
      rows.push({ line, text });
      line += text.match(/\r\n|\r|\n/g)?.length ?? 0;
    }
  }
  return rows;
}

/** The header of a file: its first row, behind Excel's `sep=`. */
export function headerOf(rows: readonly CsvRow[]): CsvRow | undefined {
  return rows.find(({ text }) => !/^(?:\uFEFF)?"?sep=/i.test(text));
}

/** What separates the columns: whichever the header has most of. */
export function separatorOf(header: string): string {
  const counts = [',', ';', '\t'].map((separator) => ({ separator, count: header.split(separator).length }));
  return counts.reduce((best, other) => (other.count > best.count ? other : best)).separator;
}

export function cellsOf(row: string, separator: string): string[] {
  const cells: string[] = [];
  let rest = row.replace(/^\uFEFF/, '');
  while (true) {
    const quoted = /^\s*"((?:[^"]|"")*)"?[^"]*?/.exec(rest);
    const isQuoted = rest.trimStart().startsWith('"') && quoted !== null;
    const behind = isQuoted ? rest.slice(quoted[0].length) : rest;
    const end = behind.indexOf(separator);
    const text = end < 0 ? behind : behind.slice(0, end);
    cells.push(isQuoted ? quoted[1]!.replaceAll('""', '"') : text.trim());
    if (end < 0) return cells;
    rest = behind.slice(end + separator.length);
  }
}

export function rowOf(cells: readonly string[], separator: string): string {
  return cells
    .map((cell) =>
      /["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell,
    )
    .join(separator);
}
