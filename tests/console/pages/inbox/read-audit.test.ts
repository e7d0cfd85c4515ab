import { expect, test } from 'vitest';
import { readDecisions } from '../../../../src/console/pages/inbox/read-audit.ts';

const line = (id: number, ask: string | null) =>
  JSON.stringify({ id: String(id), action: 'approve', decided_by: 'olga', note: 'é', ask_id: ask });

test('reads the newest decisions first, and leaves out everything else', async () => {
  const refused = JSON.stringify({ action: 'refuse', refused_by: 'permission', decided_by: null });
  const body = [line(1, 'a'), refused, line(2, null), line(3, 'a')].join('\n');
  const { rows, more } = await readDecisions(new Response(body), 10);
  expect(rows.map(({ id }) => id)).toEqual(['3', '1']);
  expect(more).toBe(false);
  expect(rows[0]?.note).toBe('é');
});

test('keeps no more than it shows', async () => {
  const body = Array.from({ length: 1000 }, (_, at) => `${line(at, 'a')}\n`).join('');
  const { rows, more } = await readDecisions(new Response(body), 5);
  expect(rows.map(({ id }) => id)).toEqual(['999', '998', '997', '996', '995']);
  expect(more).toBe(true);
  expect(await readDecisions(new Response(''), 5)).toEqual({ rows: [], more: false });
});
