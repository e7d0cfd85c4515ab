import { expect, test } from 'vitest';
import { GrowingList } from '../../../../../src/console/pages/item/record/growing-list.ts';

interface Row {
  readonly at: number;
  readonly done: boolean;
}

/** Pages of a list; the cursor is the index of the last row. */
function source(rows: readonly Row[]) {
  const asked: string[] = [];
  const page = async (after: string | undefined, limit: number) => {
    asked.push(`${after ?? 'start'}+${limit}`);
    const from = after === undefined ? 0 : Number(after) + 1;
    const items = rows.slice(from, from + limit);
    return { items, next: from + limit < rows.length ? String(from + limit - 1) : null };
  };
  return { asked, page };
}

const rowsTo = (count: number, openFrom = count) =>
  Array.from({ length: count }, (_, at) => ({ at, done: at < openFrom }));

async function readAll(list: GrowingList<Row>, page: ReturnType<typeof source>['page']) {
  let last: readonly Row[] = [];
  for await (const rows of list.read(page)) last = rows;
  return last;
}

test('reads all pages, and shows each', async () => {
  const { page } = source(rowsTo(5));
  const seen: number[] = [];
  for await (const rows of new GrowingList<Row>(({ done }) => done, 2).read(page)) seen.push(rows.length);
  expect(seen).toEqual([2, 4, 5]);
});

test('does not read again what has ended', async () => {
  const list = new GrowingList<Row>(({ done }) => done, 2);
  await readAll(list, source(rowsTo(5)).page);
  const { asked, page } = source(rowsTo(6));
  expect((await readAll(list, page)).map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(asked).toEqual(['3+25']);
});

test('reads what had not ended again, and everything after it', async () => {
  const list = new GrowingList<Row>(({ done }) => done, 2);
  await readAll(list, source(rowsTo(6, 3)).page);
  const { asked, page } = source(rowsTo(7));
  const rows = await readAll(list, page);
  expect(rows).toHaveLength(7);
  expect(rows.every(({ done }) => done)).toBe(true);
  expect(asked).toEqual(['1+25']);
});
