/** A page of at most `most` rows, of which one more was read to know whether there are more. `cursor` gives the position of a row. */
export function pageOf<Row>(
  rows: readonly Row[],
  most: number,
  cursor: (row: Row) => string,
): { items: Row[]; next: string | null } {
  const items = rows.slice(0, most);
  return { items, next: rows.length > most ? cursor(items.at(-1)!) : null };
}
