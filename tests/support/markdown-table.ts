/** The rows of all tables of a Markdown page, cells trimmed, `\|` as `|`; without the rows of dashes. */
export function tableRows(page: string): string[][] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .slice(1)
        .replace(/\|\s*$/, '')
        .split(/(?<!\\)\|/),
    )
    .map((cells) => cells.map((cell) => cell.trim().replaceAll('\\|', '|')));
}
