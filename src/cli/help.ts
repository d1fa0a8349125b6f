/** The examples at the end of a command's help; each with what it does, where that is not plain. */
export function examples(...lines: (string | [command: string, meaning: string])[]): string {
  const shown = lines.map((line) =>
    typeof line === 'string' ? `  cardledger ${line}` : `  # ${line[1]}\n  cardledger ${line[0]}`,
  );
  return `\nExamples:\n${shown.join('\n')}`;
}
